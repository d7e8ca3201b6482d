import type { Base } from "@postern/shared/assembly";
import { type AuthOperation, operation, pathTo } from "@postern/shared/contracts";
import { addressKey } from "@postern/shared/platform/net";
import { systemClock } from "@postern/shared/platform/time";
import type { FastifyRequest } from "fastify";
import { authPolicyCommandOf } from "../auth-policy/command.ts";
import { createRejectionDelay } from "../caller-auth/rejection.ts";
import { createForwardedActionOf } from "../caller-auth/requested-action.ts";
import { createNeedOf } from "../caller-auth/scopes.ts";
import type { WireNames } from "../dialects/naming.ts";
import type { ForwardDeps } from "../forward/forward.ts";
import { createOwnerRejected } from "../forward/owner-rejected.ts";
import type { LimitMetrics } from "../limits/limit-metrics.ts";
import type { Limits } from "../limits/limits.ts";
import { passwordKey } from "../limits/password-failures.ts";
import type { GatewayMetrics } from "../metrics.ts";
import { createAdmitByBudgetHook } from "../plugins/admit-by-budget.ts";
import { createAdmitGuessHook } from "../plugins/admit-guess.ts";
import { type CallerAuthDeps, createCallerAuthHook, type OnRequest, type RouteDemand } from "../plugins/caller-auth.ts";
import { createClientCertificates } from "../plugins/client-certificate.ts";
import { createLimitAddressHook } from "../plugins/limit-address.ts";
import { addPasswordPathHook } from "../plugins/password-path-hook.ts";
import { createRejectCaller } from "../plugins/reject-caller.ts";
import type { RequestAddresses } from "../plugins/request-address.ts";
import { createSpendBudgetHook } from "../plugins/spend-budget.ts";
import { createQuietLog } from "../quiet-log.ts";
import type { GatewaySettings, LiveGatewaySettings } from "../settings.ts";

type ForwardHooks =
  | "callerAuth"
  | "limitAddress"
  | "admitByBudget"
  | "guesses"
  | "certificates"
  | "delay"
  | "onOwnerRejected"
  | "onOwnerFailed";

interface Hooks {
  /** For authentication requests, whose operation the dialect determines. */
  readonly callerAuthFor: (operationOf: (url: string) => AuthOperation) => OnRequest;
  /** For the auth-policy protocol, where the command determines the scopes. */
  readonly policyCallerAuth: OnRequest;
  readonly spendBudget: OnRequest;
  readonly limitAddress: OnRequest;
  readonly forwarding: Pick<ForwardDeps, ForwardHooks>;
}

interface HooksParts extends Pick<Base, "logger" | "audit"> {
  readonly settings: GatewaySettings;
  readonly live: { readonly current: LiveGatewaySettings };
  readonly names: WireNames;
  readonly callerAddress: (request: FastifyRequest) => string;
  readonly isFromTrustedProxy: RequestAddresses["isFromTrustedProxy"];
  readonly limits: Limits;
  readonly metrics: GatewayMetrics;
  readonly limitMetrics: LimitMetrics;
}

/** The key by which `rate_limit` counts. */
function createAddressKeyOf(live: HooksParts["live"], callerAddress: (request: FastifyRequest) => string) {
  return (request: FastifyRequest): string => addressKey(callerAddress(request), live.current.ipv6Prefix);
}

const quietMs = 10_000;

function createCertificates({ settings, isFromTrustedProxy, logger }: HooksParts): ForwardDeps["certificates"] {
  const unloggedOf = createQuietLog(systemClock, quietMs);
  return createClientCertificates({ headers: settings.certificateHeaders, isFromTrustedProxy, logger, unloggedOf });
}

function isReset({ raw }: FastifyRequest): boolean {
  return authPolicyCommandOf(raw.url ?? "") === "reset";
}

interface Demands {
  readonly auth: Pick<RouteDemand, "needOf">;
  readonly policy: RouteDemand;
  readonly forwarded: RouteDemand;
}

/** What the routes require of API callers. */
function createDemands(identifier: string): Demands {
  const needOf = createNeedOf(identifier);
  const forwardedActionOf = createForwardedActionOf();
  const authNeed = needOf("POST", pathTo("authenticateJson"));
  const reset = operation("flushBruteForceRule");
  const resetNeed = needOf(reset.method.toUpperCase(), reset.path);
  const { operationId: policyId } = operation("authPolicy");
  return {
    auth: { needOf: () => authNeed },
    policy: {
      needOf: (request) => (isReset(request) ? resetNeed : authNeed),
      actionOf: (request) => (isReset(request) ? reset.operationId : policyId),
    },
    forwarded: {
      needOf: ({ method, raw }) => needOf(method, raw.url ?? ""),
      actionOf: ({ method, raw }) => forwardedActionOf(method, raw.url ?? ""),
    },
  };
}

/** The hooks that run before the routes. */
export function createHooks(parts: HooksParts): Hooks {
  const { settings, live, names, callerAddress, metrics, limitMetrics, logger, audit } = parts;
  const callerAddressKey = createAddressKeyOf(live, callerAddress);
  const { budget, passwordBudget, addressLimit, guesses } = parts.limits;
  const counted: GatewayMetrics["callerChecked"] = (outcome) => metrics.callerChecked(outcome);
  const delay = createRejectionDelay();
  const challenges = (): readonly string[] => live.current.challenges;
  const reject = createRejectCaller({ delay, names, challenges, logger, audit, callerAddress });
  const { rateLimited: limited } = limitMetrics;
  const limitAddress = createLimitAddressHook({ limit: addressLimit, callerAddressKey, names, limited });
  const deps: CallerAuthDeps = {
    check: () => live.current.checkCaller,
    timeoutMs: () => live.current.decisionTimeoutMs,
    reject,
    counted,
    basicCounted: (name, outcome) => metrics.basicCallerChecked(name, outcome),
    budget,
    callerAddress,
    callerAddressKey,
    limitAddress,
  };
  const demands = createDemands(settings.identifier);
  return {
    callerAuthFor: (operationOf) =>
      createCallerAuthHook(deps, { ...demands.auth, actionOf: ({ raw }) => operationOf(raw.url ?? "") }),
    policyCallerAuth: createCallerAuthHook(deps, demands.policy),
    spendBudget: createSpendBudgetHook(deps),
    limitAddress,
    forwarding: {
      callerAuth: createCallerAuthHook(deps, demands.forwarded),
      limitAddress,
      admitByBudget: addPasswordPathHook(
        createAdmitByBudgetHook(deps),
        createAdmitGuessHook({
          ...deps,
          budget: passwordBudget,
          guesses,
          callerAddressKey: (request) => passwordKey(callerAddressKey(request)),
        }),
      ),
      guesses,
      certificates: createCertificates(parts),
      delay,
      onOwnerFailed: (owner, reason) => metrics.ownerFailed(owner, reason),
      onOwnerRejected: createOwnerRejected({
        ...parts.limits,
        keyOf: (callerIp) => addressKey(callerIp, live.current.ipv6Prefix),
        exhausted: () => counted("budget_exhausted"),
        logger,
      }),
    },
  };
}
