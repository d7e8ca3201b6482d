import type { Base } from "@postern/shared/assembly";
import { addressKey } from "@postern/shared/platform/net";
import type { FastifyRequest } from "fastify";
import type { WireNames } from "../http/naming.ts";
import type { Limits } from "../limits/context.ts";
import type { GatewayMetrics } from "../metrics.ts";
import type { Live } from "../settings.ts";
import type { RouteDemand } from "./demands.ts";
import {
  type CallerHookDeps,
  createAdmitByBudgetHook,
  createCallerAuthHook,
  createLimitAddressHook,
  createSpendBudgetHook,
} from "./hooks.ts";
import { createRejectCaller, createReportRejected, RejectionDelay } from "./reject.ts";

interface CallerParts extends Pick<Base, "logger" | "audit"> {
  readonly live: Live;
  readonly names: WireNames;
  readonly callerAddress: (request: FastifyRequest) => string;
  readonly limits: Limits;
  readonly metrics: GatewayMetrics;
}

/** The hooks that run before the routes. */
export function createCallerHooks({ live, names, callerAddress, limits, metrics, logger, audit }: CallerParts) {
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
  const deps: CallerHookDeps = { live, metrics, reject, budget, callerAddress, callerAddressKey, limitAddress };
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
