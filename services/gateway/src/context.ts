import { randomUUID } from "node:crypto";
import { type Base, baseFromConfig, busFromConfig, redisFromConfig, watchEngines } from "@postern/shared/assembly";
import type { EngineWatch } from "@postern/shared/domain/engine-watch";
import type { Bus } from "@postern/shared/platform/bus";
import { createResponseDelays, type ResponseDelays } from "@postern/shared/platform/concurrency";
import type { Config } from "@postern/shared/platform/config";
import { createCallerSigner } from "@postern/shared/platform/http";
import type { Health } from "@postern/shared/platform/lifecycle";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import { type BearerCheck, createBearerCheck } from "./caller-auth/bearer.ts";
import { createAuthRoute, createClientAddresses } from "./context/auth-route.ts";
import { type CallerTokens, callerTokensFromConfig } from "./context/caller-tokens.ts";
import { createGatewayHealth } from "./context/health.ts";
import { createHooks } from "./context/hooks.ts";
import { limitsOnTheBus } from "./context/limits.ts";
import { createUpstreams } from "./context/upstreams.ts";
import { type AttributesAsHeaders, createAttributeHeaders } from "./dialects/attribute-headers.ts";
import { type WireNames, wireNames } from "./dialects/naming.ts";
import type { AttributeFilter } from "./dialects/secret-attributes.ts";
import type { ForwardDeps } from "./forward/forward.ts";
import { type AccountPages, createAccountPages } from "./list-accounts/account-pages.ts";
import { createGatewayMetrics } from "./metrics.ts";
import type { OnRequest } from "./plugins/caller-auth.ts";
import { type Channels, createChannels } from "./plugins/channels.ts";
import { createReadBody } from "./plugins/read-body.ts";
import type { AuthRouteDeps } from "./routes/auth/auth-route.ts";
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
  readonly callerAuth: OnRequest;
  /** Replaces `callerAuth` where each request takes a token. */
  readonly spendBudget: OnRequest;
  readonly limitAddress: OnRequest;
  readonly channels: Channels;
  /** Delayed responses for accounts under attack. */
  readonly responseDelays: ResponseDelays;
  readonly authRoute: AuthRouteDeps;
  readonly upstreams: UpstreamHealth;
  readonly accountPages: AccountPages;
  readonly forward: ForwardDeps;
  readonly newSession: () => string;
}
type Live = GatewayContext["live"];

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
  const { callerAddress } = clients.addresses;
  const { limits, metrics: limitMetrics } = limitsOnTheBus({ base, settings, live, bus, state });
  const { audit } = base;
  const hookParts = { audit, settings, live, names, callerAddress, limits, metrics, limitMetrics, logger };
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
    upstreams: createUpstreams(base, live.current.healthChecks),
    responseDelays,
    authRoute: createAuthRoute({ ...routeParts, ...clients }),
    forward: {
      ...forwarding,
      publicPaths: () => live.current.publicHookPaths,
      sign: createCallerSigner(settings.assertion),
      origins: settings.origins,
      callerAddress,
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
