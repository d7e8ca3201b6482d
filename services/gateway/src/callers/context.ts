import { addressKey } from "@postern/shared/platform/net";
import type { FastifyRequest } from "fastify";
import type { Foundation } from "../foundation.ts";
import type { Limits } from "../limits/context.ts";
import type { RouteDemand } from "./demands.ts";
import {
  type CallerHookDeps,
  createAdmitByBudgetHook,
  createCallerAuthHook,
  createLimitAddressHook,
  createSpendBudgetHook,
} from "./hooks.ts";
import { createRejectCaller, createReportRejected, RejectionDelay } from "./reject.ts";

export function createCallerHooks({ live, names, addresses, counts, logger, audit }: Foundation, limits: Limits) {
  const { callerAddress } = addresses;
  const callerAddressKey = (request: FastifyRequest): string =>
    addressKey(callerAddress(request), live.current.ipv6Prefix);
  const rejectionDelay = new RejectionDelay();
  const reject = createRejectCaller({
    delay: rejectionDelay,
    names,
    challenges: () => live.current.challenges,
    reportRejected: createReportRejected(logger, audit, "http"),
    callerAddress,
  });
  const limitAddress = createLimitAddressHook(limits, callerAddressKey, names);
  const { budget } = limits;
  const deps: CallerHookDeps = { live, metrics: counts, reject, budget, callerAddress, callerAddressKey, limitAddress };
  return {
    /** For requests of API callers; the route determines what it requires of them. */
    callerAuth: (demand: RouteDemand<FastifyRequest>) => createCallerAuthHook(deps, demand),
    /** Replaces `callerAuth` where each request takes a token. */
    spendBudget: createSpendBudgetHook(deps),
    limitAddress,
    /** For paths whose service checks credentials. */
    admitByBudget: createAdmitByBudgetHook(deps, limits),
    rejectionDelay,
  };
}

export type CallerHooks = ReturnType<typeof createCallerHooks>;
