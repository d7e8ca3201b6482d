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
import type { Dialect } from "@postern/shared/contracts";
import { createCallerSigner } from "@postern/shared/http";
import { createHealth, type Health } from "@postern/shared/lifecycle";
import { type RedisClient, redisHealth } from "@postern/shared/redis";
import { systemClock } from "@postern/shared/time";
import type { FastifyRequest } from "fastify";
import { createDecide } from "./auth-client/decide.ts";
import { type BearerCheck, createBearerCheck } from "./caller-auth/bearer.ts";
import { createRejectionDelay } from "./caller-auth/rejection.ts";
import { createNeedOf } from "./caller-auth/scopes.ts";
import { createDecisionLog } from "./decision-log.ts";
import type { RequestFacts } from "./dialects/complete-request.ts";
import { type WireNames, wireNames } from "./dialects/naming.ts";
import { type AttributeFilter, createAttributeFilter } from "./dialects/secret-attributes.ts";
import type { ForwardDeps } from "./forward/forward.ts";
import { createGatewayMetrics, type GatewayMetrics } from "./metrics.ts";
import { type CallerAuthDeps, type CallerAuthHook, createCallerAuthHook } from "./plugins/caller-auth.ts";
import { callerAddress, clientAddress } from "./plugins/request-address.ts";
import type { AuthRouteDeps } from "./routes/auth/auth-route.ts";
import { type GatewaySettings, gatewaySettings, type LiveGatewaySettings, liveGatewaySettings } from "./settings.ts";

/** Everything that the gateway is made of. Only this file makes any of it. */
export interface GatewayContext extends Base {
  readonly settings: GatewaySettings;
  readonly live: { current: LiveGatewaySettings };
  readonly bus: Bus;
  readonly state: RedisClient;
  readonly callerTokens: CallerTokens;
  readonly bearer: BearerCheck | undefined;
  readonly health: Health;
  readonly names: WireNames;
  readonly releasable: AttributeFilter;
  readonly callerAuth: CallerAuthHook;
  readonly authRoute: AuthRouteDeps;
  readonly forward: ForwardDeps;
  readonly newSession: () => string;
}

type Live = GatewayContext["live"];

function createFacts(live: Live, addressOf: (request: FastifyRequest) => string) {
  return (request: FastifyRequest, dialect: Dialect): RequestFacts => {
    const { headers } = request.raw;
    const { trustedProxies: trusted, clientHeaders: names } = live.current;
    return {
      ...clientAddress(request, addressOf(request), { trusted, names }),
      session: request.id,
      dialect,
      userAgent: headers["user-agent"],
      acceptLanguage: headers["accept-language"],
    };
  };
}

interface Edge {
  readonly base: Base;
  readonly settings: GatewaySettings;
  readonly live: Live;
  readonly names: WireNames;
  readonly metrics: GatewayMetrics;
  readonly addressOf: (request: FastifyRequest) => string;
}

/** The check of callers for the dialects, and for the paths of other services. */
function createCallerHooks({ base: { logger }, settings, live, names, metrics, addressOf }: Edge) {
  const needOf = createNeedOf(settings.identifier);
  const delay = createRejectionDelay();
  const deps: CallerAuthDeps = {
    check: () => live.current.checkCaller,
    timeoutMs: () => live.current.decisionTimeoutMs,
    challenges: () => live.current.challenges,
    delay,
    names,
    logger,
    counted: (outcome) => metrics.callerChecked(outcome),
    addressOf,
  };
  const authNeed = needOf("POST", "/api/v1/auth");
  const onOwnerRejected: ForwardDeps["onOwnerRejected"] = (clientIp, status) =>
    logger.warn({ transport: "http", client_ip: clientIp, reason: "bad_jwt_login", status }, "caller rejected");
  return {
    delay,
    onOwnerRejected,
    dialects: createCallerAuthHook(deps, () => authNeed),
    forwarded: createCallerAuthHook(deps, ({ method, raw }) => needOf(method, raw.url ?? "")),
  };
}

function createGatewayHealth(
  config: Config,
  bus: Bus,
  state: RedisClient,
  { logger, service, instance }: Base,
): Health {
  const { prefix } = config.storage.redis;
  return createHealth({
    checks: [
      { name: "bus", required: true, check: () => assertConnected(bus) },
      // Without it tokens are undecided; Basic callers need none.
      redisHealth({ client: state, role: "state", required: false, prefix, service, instance }),
    ],
    onFailure: (name, err) => logger.warn({ check: name, err }, "health check failed"),
  });
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
  const addressOf = (request: FastifyRequest): string => callerAddress(request, live.current.trustedProxies);
  const callers = createCallerHooks({ base, settings, live, names, metrics, addressOf });
  const decide = createDecide({
    bus,
    clock: systemClock,
    timeoutMs: () => live.current.decisionTimeoutMs,
    onError: (err, session) => logger[err.row.logLevel]({ session, err }, "no decision"),
  });
  return {
    ...base,
    settings,
    live,
    state,
    callerTokens,
    bearer,
    bus,
    names,
    callerAuth: callers.dialects,
    health: createGatewayHealth(config, bus, state, base),
    releasable: createAttributeFilter(settings.secretFields),
    authRoute: { decide, metrics, log: createDecisionLog(logger), factsOf: createFacts(live, addressOf) },
    forward: {
      sign: createCallerSigner(settings.assertion),
      origins: settings.origins,
      callerAuth: callers.forwarded,
      delay: callers.delay,
      onOwnerRejected: callers.onOwnerRejected,
      addressOf,
      names,
      timeoutMs: settings.forwardTimeoutMs,
      logger,
    },
    newSession: () => randomUUID(),
  };
}

function assertConnected(bus: Bus): void {
  if (!bus.isConnected()) throw new Error("not connected to NATS");
}
