import { randomUUID } from "node:crypto";
import { type Base, baseFromConfig, busFromConfig, redisFromConfig, watchEngines } from "@postern/shared/assembly";
import type { AttributeFilter } from "@postern/shared/domain/released-attributes";
import { type Bus, busHealth } from "@postern/shared/platform/bus";
import { createResponseDelays } from "@postern/shared/platform/concurrency";
import type { Config } from "@postern/shared/platform/config";
import { createHealth, type SharedByProcess } from "@postern/shared/platform/lifecycle";
import { type RedisClient, redisHealth, watchRedisClock } from "@postern/shared/platform/redis";
import { steadyClock, systemClock } from "@postern/shared/platform/time";
import { createAuth } from "./auth/context.ts";
import { createCallerHooks } from "./callers/context.ts";
import { callerTokensFromConfig } from "./callers/tokens.ts";
import { createReportIgnoredAddress, createRequestAddresses } from "./connection/addresses.ts";
import { createChannels } from "./connection/channels.ts";
import { ProxiedConnections } from "./connection/proxied-connections.ts";
import { createAttributeHeaders } from "./dialects/attribute-headers.ts";
import { createDovecot } from "./dovecot/context.ts";
import { wireNames } from "./http/naming.ts";
import { createForwarding } from "./internal-services/context.ts";
import { limitsOnTheBus } from "./limits/context.ts";
import { createAccountPages } from "./list-accounts/account-pages.ts";
import { createGatewayMetrics, type GatewayMetrics } from "./metrics.ts";
import { createPublicStatus } from "./public-status/context.ts";
import { createRegions } from "./regions/context.ts";
import {
  type GatewaySettings,
  gatewaySettings,
  type Live,
  type LiveGatewaySettings,
  liveGatewaySettings,
} from "./settings.ts";
import { createUpstreams } from "./upstream-health/context.ts";

/** The health of this gateway for load balancers and operators. Without Redis the gateway is degraded but serves requests. */
function createGatewayHealth({ service, instance, logger }: Base, bus: Bus, client: RedisClient, keyPrefix: string) {
  return createHealth({
    checks: [
      busHealth(bus, true),
      redisHealth({ client, role: "state", required: false, keyPrefix, service, instance }),
    ],
    onFailure: (name, err) => logger.warn({ check: name, err }, "health check failed"),
  });
}

/** The addresses of callers and clients, and the PROXY protocol; `proxied` is undefined if no listener requires its headers. */
function createConnections(settings: GatewaySettings, live: Live, { logger }: Base, metrics: GatewayMetrics) {
  const reportIgnoredAddress = createReportIgnoredAddress(logger, systemClock, metrics.addressIgnored);
  const { proxyProtocol, requestTimeoutMs } = settings;
  const trustedProxies = () => live.current.trustedProxies;
  const proxied =
    proxyProtocol.size > 0
      ? new ProxiedConnections(trustedProxies, requestTimeoutMs, logger, metrics.connectionRejected)
      : undefined;
  const addresses = createRequestAddresses(() => live.current, reportIgnoredAddress, proxied?.sourceOf);
  return { proxied, addresses, reportIgnoredAddress };
}

/** Constructs all components of the gateway, with the `context.ts` of each feature. */
export async function createContext(config: Config, shared: SharedByProcess) {
  const base = await baseFromConfig(config, "gateway", shared);
  const { logger } = base;
  const settings = gatewaySettings(config);
  // The gateway can serve requests without it.
  const state = redisFromConfig(config, "state", base);
  const sharedClock = watchRedisClock(state);
  const regions = await createRegions(config, base);
  const regionCalls = regions?.calls;
  const callerTokens = callerTokensFromConfig(config, { logger, redis: state, sharedClock, regionCalls });
  const live: { current: LiveGatewaySettings } = { current: liveGatewaySettings(config, callerTokens.check) };
  const bus = await busFromConfig(config, base);
  const names = wireNames(settings.identifier);
  const metrics = createGatewayMetrics(base.metrics, base.metricsPrefix);
  metrics.keepCallers(live.current.callerNames);
  const connections = createConnections(settings, live, base, metrics);
  const { addresses } = connections;
  const limits = limitsOnTheBus({ base, settings, live, bus, state });
  const hooks = createCallerHooks({ ...base, ...addresses, live, names, limits, metrics });
  const engineWatch = watchEngines(bus, base);
  const responseDelays = createResponseDelays();
  const accountPages = createAccountPages(bus, steadyClock, () => live.current.decisionTimeoutMs);
  const releasable: AttributeFilter = (attributes) => live.current.releasable(attributes);
  const health = createGatewayHealth(base, bus, state, settings.keyPrefix);
  const common = { ...base, ...connections, settings, live, names, bus, engineWatch, limits, hooks, sharedClock };
  const auth = createAuth({ ...common, metrics, accountPages, responseDelays });
  return {
    ...base,
    ...connections,
    settings,
    live,
    state,
    callerTokens,
    bus,
    names,
    engineWatch,
    hooks,
    /** Keeps the series of these Basic callers, after a reload. */
    keepCallers: metrics.keepCallers,
    channels: createChannels(names, settings.frontAddresses.length > 0),
    health,
    /** Undefined if the site does not show its status. */
    publicStatus: createPublicStatus(settings.publicStatus, { bus, health, engineWatch }),
    releasable,
    attributeHeaders: createAttributeHeaders(names, releasable),
    accountPages,
    upstreams: createUpstreams(base, live.current.healthChecks),
    /** Delayed responses for accounts under attack. */
    responseDelays,
    auth,
    dovecot: createDovecot({ ...common, auth }),
    forward: createForwarding({ ...common, metrics, regions }),
    regions,
    newSession: (): string => randomUUID(),
  };
}

export type GatewayContext = Awaited<ReturnType<typeof createContext>>;
