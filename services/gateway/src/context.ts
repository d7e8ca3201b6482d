import { randomUUID } from "node:crypto";
import { type Base, baseFromConfig, busFromConfig } from "@postern/shared/assembly";
import type { Bus } from "@postern/shared/bus";
import type { Config } from "@postern/shared/config";
import type { Dialect } from "@postern/shared/contracts";
import { createCallerSigner } from "@postern/shared/http";
import { createHealth, type Health } from "@postern/shared/lifecycle";
import { systemClock } from "@postern/shared/time";
import type { FastifyRequest } from "fastify";
import { createDecide } from "./auth-client/decide.ts";
import { type EngineWatch, startEngineWatch } from "./auth-client/engine-watch.ts";
import { createRejectionDelay } from "./caller-auth/rejection.ts";
import { createDecisionLog } from "./decision-log.ts";
import { type AttributesAsHeaders, createAttributeHeaders } from "./dialects/attribute-headers.ts";
import type { RequestFacts } from "./dialects/complete-request.ts";
import { type WireNames, wireNames } from "./dialects/naming.ts";
import type { AttributeFilter } from "./dialects/secret-attributes.ts";
import type { ForwardDeps } from "./forward/forward.ts";
import { createAccountPages } from "./list-accounts/account-pages.ts";
import { createAnswerListing } from "./list-accounts/answer-listing.ts";
import { createGatewayMetrics } from "./metrics.ts";
import { type CallerAuthHook, createCallerAuthHook } from "./plugins/caller-auth.ts";
import { callerAddress, clientAddress } from "./plugins/request-address.ts";
import type { AuthRouteDeps } from "./routes/auth/auth-route.ts";
import { type GatewaySettings, gatewaySettings, type LiveGatewaySettings, liveGatewaySettings } from "./settings.ts";

/** Everything that the gateway is made of. Only this file makes any of it. */
export interface GatewayContext extends Base {
  readonly settings: GatewaySettings;
  readonly live: { current: LiveGatewaySettings };
  readonly bus: Bus;
  readonly health: Health;
  readonly names: WireNames;
  readonly releasable: AttributeFilter;
  readonly attributeHeaders: AttributesAsHeaders;
  readonly callerAuth: CallerAuthHook;
  readonly engineWatch: EngineWatch;
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

export async function createContext(config: Config): Promise<GatewayContext> {
  const base = baseFromConfig(config, "gateway");
  const { logger, prefix } = base;
  const settings = gatewaySettings(config);
  const live: Live = { current: liveGatewaySettings(config) };
  const bus = await busFromConfig(config, base);
  const names = wireNames(settings.identifier);
  const metrics = createGatewayMetrics(base.metrics, prefix);
  const addressOf = (request: FastifyRequest): string => callerAddress(request, live.current.trustedProxies);
  const delay = createRejectionDelay();
  const releasable: AttributeFilter = (attributes) => live.current.releasable(attributes);
  const callerAuth = createCallerAuthHook({
    check: () => live.current.checkCaller,
    delay,
    names,
    logger,
    counted: (outcome) => metrics.callerChecked(outcome),
    addressOf,
  });
  const engineWatch = startEngineWatch({
    bus,
    onSilence: () => logger.error("no engine gives a sign of life: decisions fail at once"),
  });
  metrics.enginesHeard(engineWatch.engines);
  const decide = createDecide({
    bus,
    watch: engineWatch,
    clock: systemClock,
    timeoutMs: () => live.current.decisionTimeoutMs,
    onError: (err, session) => logger[err.row.logLevel]({ session, err }, "no decision"),
  });
  const answerListing = createAnswerListing({
    pages: createAccountPages({ bus, clock: systemClock, timeoutMs: () => live.current.decisionTimeoutMs }),
    names,
    onError: (err, session) => logger[err.row.logLevel]({ session, err }, "no list of accounts"),
  });
  return {
    ...base,
    settings,
    live,
    bus,
    names,
    callerAuth,
    engineWatch,
    health: createHealth({
      checks: [{ name: "bus", required: true, check: () => assertConnected(bus) }],
      onFailure: (name, err) => logger.warn({ check: name, err }, "health check failed"),
    }),
    releasable,
    attributeHeaders: createAttributeHeaders(names, releasable),
    authRoute: {
      decide,
      answerListing,
      metrics,
      log: createDecisionLog(logger),
      factsOf: createFacts(live, addressOf),
    },
    forward: {
      sign: createCallerSigner(settings.assertion),
      origins: settings.origins,
      callerAuth,
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
