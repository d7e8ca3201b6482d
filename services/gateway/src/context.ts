import { randomUUID } from "node:crypto";
import { type Base, baseFromConfig, busFromConfig, redisFromConfig, watchEngines } from "@postern/shared/assembly";
import { budgetExhausted, pathTo } from "@postern/shared/contracts";
import type { EngineWatch } from "@postern/shared/domain/engine-watch";
import type { Bus } from "@postern/shared/platform/bus";
import { createResponseDelays, type ResponseDelays } from "@postern/shared/platform/concurrency";
import type { Config } from "@postern/shared/platform/config";
import { createCallerSigner } from "@postern/shared/platform/http";
import { createHealth, type Health } from "@postern/shared/platform/lifecycle";
import { addressKey } from "@postern/shared/platform/net";
import { type RedisClient, redisHealth } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import type { FastifyRequest } from "fastify";
import type { BackendHealth } from "./backend-health/health-checks.ts";
import { type BearerCheck, createBearerCheck } from "./caller-auth/bearer.ts";
import { createRejectionDelay } from "./caller-auth/rejection.ts";
import { createNeedOf } from "./caller-auth/scopes.ts";
import { createAuthRoute, createClientAddresses } from "./context/auth-route.ts";
import { type CallerTokens, callerTokensFromConfig } from "./context/caller-tokens.ts";
import { createMailBackends } from "./context/mail-backends.ts";
import { type AttributesAsHeaders, createAttributeHeaders } from "./dialects/attribute-headers.ts";
import { type WireNames, wireNames } from "./dialects/naming.ts";
import type { AttributeFilter } from "./dialects/secret-attributes.ts";
import type { ForwardDeps } from "./forward/forward.ts";
import { createSharedBuckets } from "./limits/budget-redis.ts";
import { createLimitMetrics, type LimitMetrics } from "./limits/limit-metrics.ts";
import { createLimits, type Limits } from "./limits/limits.ts";
import { budgetOf, isPasswordPath, passwordKey } from "./limits/password-failures.ts";
import { type AccountPages, createAccountPages } from "./list-accounts/account-pages.ts";
import { createGatewayMetrics, type GatewayMetrics } from "./metrics.ts";
import { createAdmitByBudgetHook } from "./plugins/admit-by-budget.ts";
import { createAdmitGuessHook } from "./plugins/admit-guess.ts";
import { andForPasswords } from "./plugins/and-for-passwords.ts";
import { type CallerAuthDeps, createCallerAuthHook, type OnRequest } from "./plugins/caller-auth.ts";
import { type Channels, createChannels } from "./plugins/channels.ts";
import { createLimitAddressHook } from "./plugins/limit-address.ts";
import { createReadBody } from "./plugins/read-body.ts";
import { createRejectCaller } from "./plugins/reject-caller.ts";
import { createSpendBudgetHook } from "./plugins/spend-budget.ts";
import type { AuthRouteDeps } from "./routes/auth/auth-route.ts";
import { type GatewaySettings, gatewaySettings, type LiveGatewaySettings, liveGatewaySettings } from "./settings.ts";

/** All components of the gateway. Only this file constructs them. */
export interface GatewayContext extends Base {
  readonly settings: GatewaySettings;
  readonly live: { current: LiveGatewaySettings };
  readonly bus: Bus;
  /** The gateway can serve requests without it. */
  readonly state: RedisClient;
  readonly callerTokens: CallerTokens;
  readonly bearer: BearerCheck | undefined;
  readonly health: Health;
  readonly names: WireNames;
  readonly releasable: AttributeFilter;
  readonly attributeHeaders: AttributesAsHeaders;
  readonly engineWatch: EngineWatch;
  readonly callerAuth: OnRequest;
  /** Replaces `callerAuth` where each request takes a token. */
  readonly spendBudget: OnRequest;
  readonly limitAddress: OnRequest;
  readonly channels: Channels;
  /** Delayed responses for accounts under attack. */
  readonly responseDelays: ResponseDelays;
  readonly authRoute: AuthRouteDeps;
  readonly mailBackends: BackendHealth;
  readonly accountPages: AccountPages;
  readonly forward: ForwardDeps;
  readonly newSession: () => string;
}
type Live = GatewayContext["live"];
type ForwardHooks =
  | "callerAuth"
  | "limitAddress"
  | "admitByBudget"
  | "guesses"
  | "delay"
  | "onOwnerRejected"
  | "onOwnerFailed";

interface Hooks extends Pick<GatewayContext, "callerAuth" | "spendBudget" | "limitAddress"> {
  readonly forwarding: Pick<ForwardDeps, ForwardHooks>;
}

interface LimitsParts extends Pick<GatewayContext, "settings" | "live" | "bus" | "state"> {
  readonly base: Base;
}

interface HooksParts extends Pick<GatewayContext, "settings" | "live" | "names" | "logger" | "audit"> {
  readonly addressOf: (request: FastifyRequest) => string;
  readonly limits: Limits;
  readonly metrics: GatewayMetrics;
  readonly limitMetrics: LimitMetrics;
}

/** The key by which `rate_limit` counts. */
function createAddressKeyOf(live: Live, addressOf: (request: FastifyRequest) => string) {
  return (request: FastifyRequest): string => addressKey(addressOf(request), live.current.ipv6Prefix);
}

/** The limits, and the events with which gateways share them. */
function limitsOnTheBus({ base, settings, live, bus, state }: LimitsParts): { limits: Limits; metrics: LimitMetrics } {
  const { logger, instance } = base;
  const metrics = createLimitMetrics(base.metrics, base.metricsPrefix);
  const limits = createLimits({
    ...settings,
    takeShared: createSharedBuckets(state, settings.keyPrefix),
    rate: () => live.current.rate,
    passwordRate: () => live.current.passwordRate,
    announce: (addressKey, emptyForMs) => bus.publish(budgetExhausted, { instance, addressKey, emptyForMs }),
    metrics,
    logger,
  });
  bus.subscribe(budgetExhausted, (message) => {
    if (message.instance !== instance)
      budgetOf(message.addressKey, limits).learn(message.addressKey, message.emptyForMs);
  });
  return { limits, metrics };
}

/** The hooks that run before the routes. */
function createHooks(parts: HooksParts): Hooks {
  const { settings, live, names, addressOf, metrics, limitMetrics, logger, audit } = parts;
  const addressKeyOf = createAddressKeyOf(live, addressOf);
  const { budget, passwordBudget, addressLimit, guesses } = parts.limits;
  const counted: GatewayMetrics["callerChecked"] = (outcome) => metrics.callerChecked(outcome);
  const delay = createRejectionDelay();
  const challenges = (): readonly string[] => live.current.challenges;
  const reject = createRejectCaller({ delay, names, challenges, logger, audit, addressOf });
  const { rateLimited: limited } = limitMetrics;
  const limitAddress = createLimitAddressHook({ limit: addressLimit, addressKeyOf, names, limited });
  const deps: CallerAuthDeps = {
    check: () => live.current.checkCaller,
    basicName: () => live.current.basicName,
    timeoutMs: () => live.current.decisionTimeoutMs,
    reject,
    counted,
    budget,
    addressOf,
    addressKeyOf,
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
          addressKeyOf: (request) => passwordKey(addressKeyOf(request)),
        }),
      ),
      guesses,
      delay,
      onOwnerFailed: (owner, reason) => metrics.ownerFailed(owner, reason),
      onOwnerRejected: async ({ clientIp, session, status, url }) => {
        const key = addressKey(clientIp, live.current.ipv6Prefix);
        // 403 means a correct password without a role.
        const isWrongPassword = status === 401 && isPasswordPath(url);
        const spent = [budget.spend(key), ...(isWrongPassword ? [passwordBudget.spend(passwordKey(key))] : [])];
        const waitMs = Math.max(...(await Promise.all(spent)));
        if (waitMs > 0) counted("budget_exhausted");
        else
          logger.warn(
            { session, transport: "http", client_ip: clientIp, reason: "bad_jwt_login", status },
            "caller rejected",
          );
        return waitMs;
      },
    },
  };
}

export async function createContext(config: Config): Promise<GatewayContext> {
  const base = baseFromConfig(config, "gateway");
  const { logger } = base;
  const settings = gatewaySettings(config);
  const state = redisFromConfig(config, "state", base);
  const callerTokens = callerTokensFromConfig(config, { logger, redis: state });
  const bearer = callerTokens.verifier === undefined ? undefined : createBearerCheck(callerTokens.verifier);
  const live: Live = { current: liveGatewaySettings(config, bearer) };
  const bus = await busFromConfig(config, base);
  const names = wireNames(settings.identifier);
  const metrics = createGatewayMetrics(base.metrics, base.metricsPrefix);
  const clients = createClientAddresses({ live, logger, metrics });
  const { callerOf: addressOf } = clients.addresses;
  const { limits, metrics: limitMetrics } = limitsOnTheBus({ base, settings, live, bus, state });
  const { audit } = base;
  const hookParts = { audit, settings, live, names, addressOf, limits, metrics, limitMetrics, logger };
  const { forwarding, ...hooks } = createHooks(hookParts);
  const engineWatch = watchEngines(bus, base);
  const timeoutMs = (): number => live.current.decisionTimeoutMs;
  const responseDelays = createResponseDelays();
  const accountPages = createAccountPages({ bus, clock: systemClock, timeoutMs });
  const releasable: AttributeFilter = (attributes) => live.current.releasable(attributes);
  const { processLogger } = base;
  const routeParts = { bus, engineWatch, live, accountPages, names, limits, metrics, processLogger, responseDelays };
  return {
    ...base,
    ...hooks,
    settings,
    live,
    state,
    callerTokens,
    bearer,
    bus,
    names,
    engineWatch,
    channels: createChannels(names),
    health: createGatewayHealth({ base, settings, bus, state }),
    releasable,
    attributeHeaders: createAttributeHeaders(names, releasable),
    accountPages,
    mailBackends: createMailBackends(base, live.current.healthChecks),
    responseDelays,
    authRoute: createAuthRoute({ ...routeParts, ...clients }),
    forward: {
      ...forwarding,
      publicPaths: () => live.current.publicHookPaths,
      sign: createCallerSigner(settings.assertion),
      origins: settings.origins,
      addressOf,
      names,
      servesPages: settings.servesPages,
      strangersBodies: limits.strangersBodies,
      readBody: createReadBody(settings.decompression),
      maxBodyBytes: settings.maxBodyBytes,
      timeoutMs: settings.forwardTimeoutMs,
      logger,
    },
    newSession: () => randomUUID(),
  };
}

type HealthParts = Pick<LimitsParts, "base" | "settings" | "bus" | "state">;

/** Without Redis the gateway is degraded but serves requests. */
function createGatewayHealth({ base, settings, bus, state: client }: HealthParts): Health {
  const { service, instance, logger } = base;
  return createHealth({
    checks: [
      { name: "bus", required: true, check: () => assertConnected(bus) },
      redisHealth({ client, role: "state", required: false, keyPrefix: settings.keyPrefix, service, instance }),
    ],
    onFailure: (name, err) => logger.warn({ check: name, err }, "health check failed"),
  });
}

function assertConnected(bus: Bus): void {
  if (!bus.isConnected()) throw new Error("not connected to NATS");
}
