import type { CallerAuthDeps, OnRequest } from "./caller-auth.ts";

/** For paths whose owner checks credentials: 429 while the address's failure budget is empty. */
export function createAdmitByBudgetHook({
  budget,
  addressKeyOf,
  reject,
  counted,
}: Pick<CallerAuthDeps, "budget" | "addressKeyOf" | "reject" | "counted">): OnRequest {
  return (request, reply, next) => {
    if (budget.clear) {
      next();
      return;
    }
    budget.admit(addressKeyOf(request), (waitMs) => {
      if (waitMs === 0) {
        next();
        return;
      }
      counted("budget_exhausted");
      reject(request, reply, { outcome: "budget_exhausted", retryAfterMs: waitMs });
    });
  };
}
