import type { CallerAuthDeps, OnRequest } from "./caller-auth.ts";
import { rejectExhausted } from "./reject-exhausted.ts";

/** For `GET /api/v1/auth/basic`, where each request takes a token, even a successful one. */
export function createSpendBudgetHook({
  budget,
  callerAddressKey,
  ...answers
}: Pick<CallerAuthDeps, "budget" | "callerAddressKey" | "reject" | "counted">): OnRequest {
  return async (request, reply) => {
    const waitMs = await budget.spend(callerAddressKey(request));
    if (waitMs > 0) rejectExhausted(answers, request, reply, waitMs);
  };
}
