import type { CallerAuthDeps, OnRequest } from "./caller-auth.ts";
import { rejectExhausted } from "./reject-exhausted.ts";

/** For paths whose owner checks credentials: 429 while the address's failure budget is empty. */
export function createAdmitByBudgetHook({
  budget,
  callerAddressKey,
  ...answers
}: Pick<CallerAuthDeps, "budget" | "callerAddressKey" | "reject" | "counted">): OnRequest {
  return async (request, reply) => {
    if (budget.clear) return;
    await budget.admit(callerAddressKey(request), async (waitMs) => {
      if (waitMs > 0) rejectExhausted(answers, request, reply, waitMs);
    });
  };
}
