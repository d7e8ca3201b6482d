import {
  accountNamesFromSettings,
  baseFromConfig,
  engineBusFromConfig,
  liveDomainsFromConfig,
  redisFromConfig,
  scriptPasswordReports,
  unverifiablePasswordCounter,
} from "@postern/shared/assembly";
import { createPasswordVerifier } from "@postern/shared/domain/passwords";
import { locateOnBus } from "@postern/shared/domain/places";
import { createRiskNames, createRiskReviews, createRiskStore } from "@postern/shared/domain/risk";
import type { Config } from "@postern/shared/platform/config";
import { type SharedByProcess } from "@postern/shared/platform/lifecycle";
import { watchRedisClock } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import { createAdminMetrics } from "./metrics.ts";
import { createEventStreams } from "./operators/event-streams.ts";
import { adminSettings, liveAdminSettings } from "./settings.ts";

/** Operators sign in rarely; more concurrent requests than these are guesses. */
const hashing = { concurrency: 2, maxQueued: 64 };

/** What the features of the service are made of. */
export async function createParts(config: Config, shared: SharedByProcess) {
  const base = await baseFromConfig(config, "admin", shared);
  const engineBus = await engineBusFromConfig(config, base);
  const { bus } = engineBus;
  const live = { current: liveAdminSettings(config) };
  const state = redisFromConfig(config, "state", base);
  const { password_nonce: nonce, prefix: keyPrefix } = config.storage.redis;
  const riskNames = createRiskNames(nonce);
  const settings = () => live.current.risk;
  const store = createRiskStore(state, live.current.decisionTimeoutMs);
  return {
    ...base,
    settings: adminSettings(config),
    live,
    state,
    cache: redisFromConfig(config, "cache", base),
    queue: redisFromConfig(config, "queue", base),
    keyPrefix,
    /** That of Redis. */
    sharedClock: watchRedisClock(state),
    ...engineBus,
    domains: liveDomainsFromConfig(config, base, bus),
    accountNames: accountNamesFromSettings({ bus, live: () => live.current.flush }),
    passwords: createPasswordVerifier({
      ...hashing,
      onUnverifiable: scriptPasswordReports(base, unverifiablePasswordCounter(base)),
    }),
    riskNames,
    reviews: createRiskReviews({ store, names: riskNames, keyPrefix, settings, clock: systemClock }),
    consoleStreams: createEventStreams(),
    locate: locateOnBus(bus),
    adminMetrics: createAdminMetrics(base.metrics, base.metricsPrefix),
  };
}

export type AdminParts = Awaited<ReturnType<typeof createParts>>;
