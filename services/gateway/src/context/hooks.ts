import type { Base } from "@postern/shared/assembly";
import { pathTo } from "@postern/shared/contracts";
import { addressKey } from "@postern/shared/platform/net";
import type { FastifyRequest } from "fastify";
import { createRejectionDelay } from "../caller-auth/rejection.ts";
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
import { andForPasswords } from "../plugins/and-for-passwords.ts";
import { type CallerAuthDeps, createCallerAuthHook, type OnRequest } from "../plugins/caller-auth.ts";
import { createLimitAddressHook } from "../plugins/limit-address.ts";
import { createRejectCaller } from "../plugins/reject-caller.ts";
import { createSpendBudgetHook } from "../plugins/spend-budget.ts";
import type { GatewaySettings, LiveGatewaySettings } from "../settings.ts";

type ForwardHooks =
  | "callerAuth"
  | "limitAddress"
  | "admitByBudget"
  | "guesses"
  | "delay"
  | "onOwnerRejected"
  | "onOwnerFailed";

interface Hooks {
  readonly callerAuth: OnRequest;
  readonly spendBudget: OnRequest;
  readonly limitAddress: OnRequest;
  readonly forwarding: Pick<ForwardDeps, ForwardHooks>;
}

interface HooksParts extends Pick<Base, "logger" | "audit"> {
  readonly settings: GatewaySettings;
  readonly live: { readonly current: LiveGatewaySettings };
  readonly names: WireNames;
  readonly callerAddress: (request: FastifyRequest) => string;
  readonly limits: Limits;
  readonly metrics: GatewayMetrics;
  readonly limitMetrics: LimitMetrics;
}

/** The key by which `rate_limit` counts. */
function createAddressKeyOf(live: HooksParts["live"], callerAddress: (request: FastifyRequest) => string) {
  return (request: FastifyRequest): string => addressKey(callerAddress(request), live.current.ipv6Prefix);
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
    basicName: () => live.current.basicName,
    timeoutMs: () => live.current.decisionTimeoutMs,
    reject,
    counted,
    budget,
    callerAddress,
    callerAddressKey,
    limitAddress,
  };
  const needOf = createNeedOf(settings.identifier);
  const authNeed = needOf("POST", pathTo("authenticateJson"));
  return {
    callerAuth: createCallerAuthHook(deps, () => authNeed),
    spendBudget: createSpendBudgetHook(deps),
    limitAddress,
    forwarding: {
      callerAuth: createCallerAuthHook(deps, ({ method, raw }) => needOf(method, raw.url ?? "")),
      limitAddress,
      admitByBudget: andForPasswords(
        createAdmitByBudgetHook(deps),
        createAdmitGuessHook({
          ...deps,
          budget: passwordBudget,
          guesses,
          callerAddressKey: (request) => passwordKey(callerAddressKey(request)),
        }),
      ),
      guesses,
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
