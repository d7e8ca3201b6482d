import { randomUUID } from "node:crypto";
import {
  type Base,
  baseFromConfig,
  busFromConfig,
  type CallerTokens,
  callerTokensFromConfig,
  redisFromConfig,
} from "@postern/shared/assembly";
import type { Bus } from "@postern/shared/bus";
import type { Config } from "@postern/shared/config";
import { budgetExhausted, type Dialect } from "@postern/shared/contracts";
import { logFields } from "@postern/shared/errors";
import { createCallerSigner } from "@postern/shared/http";
import { createHealth, type Health } from "@postern/shared/lifecycle";
import type { Logger } from "@postern/shared/logging";
import { addressKey } from "@postern/shared/net";
import { type RedisClient, redisHealth } from "@postern/shared/redis";
import { systemClock } from "@postern/shared/time";
import type { FastifyRequest } from "fastify";
import { createDecide } from "./auth-client/decide.ts";
import { type EngineWatch, startEngineWatch } from "./auth-client/engine-watch.ts";
import type { BackendHealth } from "./backend-health/health-checks.ts";
import { type BearerCheck, createBearerCheck } from "./caller-auth/bearer.ts";
import { createRejectionDelay } from "./caller-auth/rejection.ts";
import { createNeedOf } from "./caller-auth/scopes.ts";
import { createMailBackends } from "./context/mail-backends.ts";
import { createDecisionLog } from "./decision-log.ts";
import { type AttributesAsHeaders, createAttributeHeaders } from "./dialects/attribute-headers.ts";
import type { RequestFacts } from "./dialects/complete-request.ts";
import { type WireNames, wireNames } from "./dialects/naming.ts";
import type { AttributeFilter } from "./dialects/secret-attributes.ts";
import type { ForwardDeps } from "./forward/forward.ts";
import { createSharedBuckets } from "./limits/budget-redis.ts";
import { createLimitMetrics, type LimitMetrics } from "./limits/limit-metrics.ts";
import { createLimits, type Limits } from "./limits/limits.ts";
import { type AccountPages, createAccountPages } from "./list-accounts/account-pages.ts";
import { createAnswerListing } from "./list-accounts/answer-listing.ts";
import { createGatewayMetrics, type GatewayMetrics } from "./metrics.ts";
import { createAdmitByBudgetHook } from "./plugins/admit-by-budget.ts";
import { type CallerAuthDeps, createCallerAuthHook, type OnRequest } from "./plugins/caller-auth.ts";
import { type Channels, createChannels } from "./plugins/channels.ts";
import { createLimitAddressHook } from "./plugins/limit-address.ts";
import { createRejectCaller } from "./plugins/reject-caller.ts";
import { createRequestAddresses, type RequestAddresses } from "./plugins/request-address.ts";
import { createSpendBudgetHook } from "./plugins/spend-budget.ts";
import type { AuthRouteDeps } from "./routes/auth/auth-route.ts";
import { type GatewaySettings, gatewaySettings, type LiveGatewaySettings, liveGatewaySettings } from "./settings.ts";

/** Everything that the gateway is made of. Only this file makes any of it. */
export interface GatewayContext extends Base {
  readonly settings: GatewaySettings;
  readonly live: { current: LiveGatewaySettings };
  readonly bus: Bus;
  /** Not needed to serve. */
  readonly state: RedisClient;
  readonly callerTokens: CallerTokens;
  readonly bearer: BearerCheck | undefined;
  readonly health: Health;
  readonly names: WireNames;
  readonly releasable: AttributeFilter;
  readonly attributeHeaders: AttributesAsHeaders;
  readonly engineWatch: EngineWatch;
  readonly callerAuth: OnRequest;
  /** In place of `callerAuth` where each request takes a token. */
  readonly spendBudget: OnRequest;
  readonly limitAddress: OnRequest;
  readonly channels: Channels;
  readonly authRoute: AuthRouteDeps;
  readonly mailBackends: BackendHealth;
  readonly accountPages: AccountPages;
  readonly forward: ForwardDeps;
  readonly newSession: () => string;
}
type Live = GatewayContext["live"];
type ForwardHooks = "callerAuth" | "limitAddress" | "admitByBudget" | "delay" | "onOwnerRejected";

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

function createFacts({ clientOf }: RequestAddresses) {
  return (request: FastifyRequest, dialect: Dialect): RequestFacts => {
    const { headers } = request.raw;
    const { clientIp, clientPort } = clientOf(request);
    return {
      session: request.id,
      dialect,
      clientIp,
      clientPort,
      userAgent: headers["user-agent"],
      acceptLanguage: headers["accept-language"],
    };
  };
}

/** What `rate_limit` counts by. */
function createAddressKeyOf(live: Live, addressOf: (request: FastifyRequest) => string) {
  return (request: FastifyRequest): string => addressKey(addressOf(request), live.current.ipv6Prefix);
}

/** The limits, and what the gateways tell each other about them. */
function limitsOnTheBus({ base, settings, live, bus, state }: LimitsParts): { limits: Limits; metrics: LimitMetrics } {
  const { logger, instance } = base;
  const metrics = createLimitMetrics(base.metrics, base.prefix);
  const limits = createLimits({
    ...settings,
    takeShared: createSharedBuckets(state, settings.keyPrefix),
    rate: () => live.current.rate,
    announce: (addressKey, emptyForMs) => bus.publish(budgetExhausted, { instance, addressKey, emptyForMs }),
    metrics,
    logger,
  });
  bus.subscribe(budgetExhausted, (told) => {
    if (told.instance !== instance) limits.budget.learn(told.addressKey, told.emptyForMs);
  });
  return { limits, metrics };
}

/** The hooks that stand before the routes. */
function createHooks(parts: HooksParts): Hooks {
  const { settings, live, names, addressOf, metrics, limitMetrics, logger, audit } = parts;
  const addressKeyOf = createAddressKeyOf(live, addressOf);
  const { budget, addressLimit } = parts.limits;
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
  const authNeed = needOf("POST", "/api/v1/auth");
  return {
    callerAuth: createCallerAuthHook(deps, () => authNeed),
    spendBudget: createSpendBudgetHook(deps),
    limitAddress,
    forwarding: {
      callerAuth: createCallerAuthHook(deps, ({ method, raw }) => needOf(method, raw.url ?? "")),
      limitAddress,
      admitByBudget: createAdmitByBudgetHook(deps),
      delay,
      onOwnerRejected: (clientIp, status, answer) =>
        budget.spend(addressKey(clientIp, live.current.ipv6Prefix), (waitMs) => {
          if (waitMs > 0) counted("budget_exhausted");
          else
            logger.warn({ transport: "http", client_ip: clientIp, reason: "bad_jwt_login", status }, "caller rejected");
          answer(waitMs);
        }),
    },
  };
}

function watchEngines(bus: Bus, metrics: GatewayMetrics, logger: Logger): EngineWatch {
  const watch = startEngineWatch({
    bus,
    onSilence: () => logger.error("no engine gives a sign of life: decisions fail at once"),
  });
  metrics.enginesHeard(watch.engines);
  return watch;
}

interface AuthRouteParts {
  readonly bus: Bus;
  readonly engineWatch: EngineWatch;
  readonly live: Live;
  readonly accountPages: AccountPages;
  readonly names: WireNames;
  readonly addresses: RequestAddresses;
  readonly limits: Limits;
  readonly metrics: GatewayMetrics;
  readonly logger: Logger;
}

function createAuthRoute(parts: AuthRouteParts): AuthRouteDeps {
  const { bus, engineWatch, live, accountPages: pages, names, addresses, limits, metrics, logger } = parts;
  const timeoutMs = (): number => live.current.decisionTimeoutMs;
  return {
    decide: createDecide({
      bus,
      watch: engineWatch,
      clock: systemClock,
      timeoutMs,
      onError: (err, session) => logger[err.row.logLevel]({ session, ...logFields(err) }, "no decision"),
    }),
    answerListing: createAnswerListing({
      pages,
      names,
      onError: (err, session) => logger[err.row.logLevel]({ session, ...logFields(err) }, "no list of accounts"),
    }),
    metrics,
    log: createDecisionLog(logger),
    gate: limits.gate,
    factsOf: createFacts(addresses),
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
  const metrics = createGatewayMetrics(base.metrics, base.prefix);
  const addresses = createRequestAddresses(() => live.current);
  const { callerOf: addressOf } = addresses;
  const { limits, metrics: limitMetrics } = limitsOnTheBus({ base, settings, live, bus, state });
  const { forwarding, ...hooks } = createHooks({
    audit: base.audit,
    settings,
    live,
    names,
    addressOf,
    limits,
    metrics,
    limitMetrics,
    logger,
  });
  const engineWatch = watchEngines(bus, metrics, logger);
  const timeoutMs = (): number => live.current.decisionTimeoutMs;
  const accountPages = createAccountPages({ bus, clock: systemClock, timeoutMs });
  const releasable: AttributeFilter = (attributes) => live.current.releasable(attributes);
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
    authRoute: createAuthRoute({ bus, engineWatch, live, accountPages, names, addresses, limits, metrics, logger }),
    forward: {
      ...forwarding,
      publicPaths: () => live.current.publicHookPaths,
      sign: createCallerSigner(settings.assertion),
      origins: settings.origins,
      addressOf,
      names,
      timeoutMs: settings.forwardTimeoutMs,
      logger,
    },
    newSession: () => randomUUID(),
  };
}

type HealthParts = Pick<LimitsParts, "base" | "settings" | "bus" | "state">;

/** Without Redis the gateway is degraded, and serves. */
function createGatewayHealth({ base, settings, bus, state: client }: HealthParts): Health {
  const { service, instance, logger } = base;
  return createHealth({
    checks: [
      { name: "bus", required: true, check: () => assertConnected(bus) },
      redisHealth({ client, role: "state", required: false, prefix: settings.keyPrefix, service, instance }),
    ],
    onFailure: (name, err) => logger.warn({ check: name, err }, "health check failed"),
  });
}

function assertConnected(bus: Bus): void {
  if (!bus.isConnected()) throw new Error("not connected to NATS");
}
