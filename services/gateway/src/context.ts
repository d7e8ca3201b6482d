import { randomUUID } from "node:crypto";
import { type Base, baseFromConfig, busFromConfig, redisFromConfig, watchEngines } from "@postern/shared/assembly";
import type { AuthOperation } from "@postern/shared/contracts";
import type { EngineWatch } from "@postern/shared/domain/engine-watch";
import type { AttributeFilter } from "@postern/shared/domain/released-attributes";
import type { Bus } from "@postern/shared/platform/bus";
import { createResponseDelays, type ResponseDelays } from "@postern/shared/platform/concurrency";
import type { Config } from "@postern/shared/platform/config";
import type { Health } from "@postern/shared/platform/lifecycle";
import { type RedisClient, watchRedisClock } from "@postern/shared/platform/redis";
import { steadyClock } from "@postern/shared/platform/time";
import { type BearerCheck, createBearerCheck } from "./callers/bearer.ts";
import { createAuthPolicy } from "./context/auth-policy.ts";
import { createAuthRoute, createClientAddresses } from "./dialects/context.ts";
import { type CallerTokens, callerTokensFromConfig } from "./callers/tokens.ts";
import { forwardSettings } from "./context/forward-settings.ts";
import { createHooks } from "./callers/context.ts";
import { limitsOnTheBus } from "./limits/context.ts";
import { proxiedConnections } from "./connection/proxied-connections.ts";
import { createStates, type PublicStatusContext } from "./context/public-status.ts";
import { createUpstreams } from "./context/upstreams.ts";
import { type AttributesAsHeaders, createAttributeHeaders } from "./dialects/attribute-headers.ts";
import { type WireNames, wireNames } from "./http/naming.ts";
import { createForwardedStreams } from "./forward/event-streams.ts";
import type { ForwardDeps } from "./forward/forward.ts";
import { type AccountPages, createAccountPages } from "./list-accounts/account-pages.ts";
import { createGatewayMetrics } from "./metrics.ts";
import type { OnRequest } from "./callers/hooks.ts";
import { type Channels, createChannels } from "./connection/channels.ts";
import type { RequestAddresses } from "./connection/addresses.ts";
import type { ProxiedConnections } from "./connection/proxied-connections.ts";
import type { AuthRouteDeps } from "./dialects/endpoint.ts";
import type { AuthPolicyRouteDeps } from "./routes/auth-policy/post-auth-policy.ts";
import { type GatewaySettings, gatewaySettings, type LiveGatewaySettings, liveGatewaySettings } from "./settings.ts";
import type { UpstreamHealth } from "./upstream-health/health-checks.ts";

/** All components of the gateway. Only this file and `context/` construct them. */
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
  readonly isFromTrustedProxy: RequestAddresses["isFromTrustedProxy"];
  /** For authentication requests, whose operation the dialect determines. */
  readonly callerAuthFor: (operationOf: (url: string) => AuthOperation) => OnRequest;
  readonly policyCallerAuth: OnRequest;
  /** Replaces `callerAuthFor` where each request takes a token. */
  readonly spendBudget: OnRequest;
  readonly limitAddress: OnRequest;
  /** Keeps the series of these Basic callers, after a reload. */
  readonly keepCallers: (names: readonly string[]) => void;
  readonly channels: Channels;
  /** Undefined if connections do not begin with PROXY protocol headers. */
  readonly proxied: ProxiedConnections | undefined;
  /** Delayed responses for accounts under attack. */
  readonly responseDelays: ResponseDelays;
  readonly authRoute: AuthRouteDeps;
  readonly authPolicy: AuthPolicyRouteDeps;
  readonly upstreams: UpstreamHealth;
  readonly accountPages: AccountPages;
  /** Undefined if the site does not show its status. */
  readonly publicStatus: PublicStatusContext | undefined;
  readonly forward: ForwardDeps;
  readonly newSession: () => string;
}
type Live = GatewayContext["live"];

export async function createContext(config: Config): Promise<GatewayContext> {
  const base = await baseFromConfig(config, "gateway");
  const { logger, audit, processLogger } = base;
  const settings = gatewaySettings(config);
  const state = redisFromConfig(config, "state", base);
  const sharedClock = watchRedisClock(state);
  const callerTokens = callerTokensFromConfig(config, { logger, redis: state, sharedClock });
  const bearer = callerTokens.verifier === undefined ? undefined : createBearerCheck(callerTokens.verifier);
  const live: Live = { current: liveGatewaySettings(config, bearer) };
  const bus = await busFromConfig(config, base);
  const names = wireNames(settings.identifier);
  const metrics = createGatewayMetrics(base.metrics, base.metricsPrefix);
  metrics.keepCallers(live.current.callerNames);
  const proxied = proxiedConnections({ settings, live, logger, metrics });
  const clients = createClientAddresses({ live, logger, metrics, proxied });
  const { callerAddress, isFromTrustedProxy } = clients.addresses;
  const { limits, metrics: limitMetrics } = limitsOnTheBus({ base, settings, live, bus, state });
  const about = { callerAddress, isFromTrustedProxy, names };
  const hookParts = { ...about, audit, settings, live, limits, metrics, limitMetrics, logger };
  const { forwarding, ...hooks } = createHooks(hookParts);
  const engineWatch = watchEngines(bus, base);
  const responseDelays = createResponseDelays();
  const accountPages = createAccountPages({ bus, clock: steadyClock, timeoutMs: () => live.current.decisionTimeoutMs });
  const releasable: AttributeFilter = (attributes) => live.current.releasable(attributes);
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
    isFromTrustedProxy,
    keepCallers: metrics.keepCallers,
    channels: createChannels(names, settings.frontAddresses.length > 0),
    proxied,
    ...createStates({ base, settings, bus, state, engineWatch }),
    releasable,
    attributeHeaders: createAttributeHeaders(names, releasable),
    accountPages,
    upstreams: createUpstreams(base, live.current.healthChecks),
    responseDelays,
    authRoute: createAuthRoute({ ...routeParts, ...clients }),
    authPolicy: createAuthPolicy({ ...routeParts, ...clients, audit, settings }),
    forward: {
      ...forwarding,
      ...forwardSettings(settings, live, sharedClock),
      ...about,
      streams: createForwardedStreams(),
      strangersBodies: limits.strangersBodies,
      logger,
      tracer: base.tracer,
    },
    newSession: () => randomUUID(),
  };
}
