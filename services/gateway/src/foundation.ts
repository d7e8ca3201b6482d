import { type Base, baseFromConfig, busFromConfig, redisFromConfig, watchEngines } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/platform/config";
import type { SharedByProcess } from "@postern/shared/platform/lifecycle";
import { watchRedisClock } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import { callerTokensFromConfig } from "./callers/tokens.ts";
import { createReportIgnoredAddress, createRequestAddresses } from "./connection/addresses.ts";
import { createProxiedConnections } from "./connection/proxied-connections.ts";
import { wireNames } from "./http/naming.ts";
import { createGatewayMetrics, type GatewayMetrics } from "./metrics.ts";
import { createRegions } from "./regions/context.ts";
import {
  type GatewaySettings,
  gatewaySettings,
  type Live,
  type LiveGatewaySettings,
  liveGatewaySettings,
} from "./settings.ts";

/** The addresses of callers and clients, and the PROXY protocol; `proxied` is undefined if no listener requires its headers. */
function createConnections(settings: GatewaySettings, live: Live, { logger }: Base, metrics: GatewayMetrics) {
  const reportIgnoredAddress = createReportIgnoredAddress(logger, systemClock, metrics.addressIgnored);
  const { proxyProtocol, requestTimeoutMs } = settings;
  const trustedProxies = () => live.current.trustedProxies;
  const proxied =
    proxyProtocol.size > 0
      ? createProxiedConnections(trustedProxies, requestTimeoutMs, logger, metrics.connectionRejected)
      : undefined;
  const addresses = createRequestAddresses(() => live.current, reportIgnoredAddress, proxied?.sourceOf);
  return { proxied, addresses, reportIgnoredAddress };
}

/** What the features are constructed with. `metrics` is the registry of the process, `counts` the gateway's own metrics in it. */
export async function createFoundation(config: Config, shared: SharedByProcess) {
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
  const counts = createGatewayMetrics(base.metrics, base.metricsPrefix);
  counts.keepCallers(live.current.callerNames);
  return {
    ...base,
    ...createConnections(settings, live, base, counts),
    settings,
    live,
    state,
    sharedClock,
    regions,
    callerTokens,
    bus,
    counts,
    names: wireNames(settings.identifier),
    engineWatch: watchEngines(bus, base),
  };
}

export type Foundation = Awaited<ReturnType<typeof createFoundation>>;
