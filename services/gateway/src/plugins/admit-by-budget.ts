import type { CallerAuthDeps, OnRequest } from "./caller-auth.ts";

/** For paths whose owner checks credentials: 429 while the address's failure budget is empty. */
export function createAdmitByBudgetHook({
  budget,
  addressKeyOf,
  reject,
  counted,
}: Pick<CallerAuthDeps, "budget" | "addressKeyOf" | "reject" | "counted">): OnRequest {
  return async (request, reply) => {
    if (budget.clear) return;
    await budget.admit(addressKeyOf(request), async (waitMs) => {
      if (waitMs === 0) return;
      counted("budget_exhausted");
      reject(request, reply, { outcome: "budget_exhausted", retryAfterMs: waitMs });
    });
  };
}
