import type { CallerAuthDeps, OnRequest } from "./caller-auth.ts";

/** For `GET /api/v1/auth/basic`, where each request takes a token, even a successful one. */
export function createSpendBudgetHook({
  budget,
  addressKeyOf,
  reject,
  counted,
}: Pick<CallerAuthDeps, "budget" | "addressKeyOf" | "reject" | "counted">): OnRequest {
  return async (request, reply) => {
    const waitMs = await budget.spend(addressKeyOf(request));
    if (waitMs === 0) return;
    counted("budget_exhausted");
    reject(request, reply, { outcome: "budget_exhausted", retryAfterMs: waitMs });
  };
}
