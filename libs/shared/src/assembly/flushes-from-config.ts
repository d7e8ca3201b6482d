import { type BruteForceRules, bruteForceRules } from "../brute-force/index.ts";
import type { Bus } from "../bus/bus.ts";
import type { Config } from "../config/index.ts";
import { createAccountNames, createFlushes, createSiteNames, type Flushes, searchProtocols } from "../flush/index.ts";
import type { RedisClient } from "../redis/client.ts";
import { systemClock } from "../time/clock.ts";

/** What a flush takes of the configuration; a reload swaps it. */
export interface FlushSettings {
  readonly rules: BruteForceRules;
  readonly protocols: readonly string[];
  readonly hasScript: boolean;
}

export function flushSettings(config: Config): FlushSettings {
  return {
    rules: bruteForceRules(config.auth.controls.brute_force),
    protocols: searchProtocols(config),
    hasScript: config.auth.backends.lua.backend.default.cache_flush_script_path !== "",
  };
}

export interface FlushParts {
  readonly state: RedisClient;
  readonly cache: RedisClient;
  readonly bus: Pick<Bus, "publish" | "request">;
  readonly live: () => FlushSettings;
}

/** A directory that hangs must not keep a flush from what is known without it. */
const lookUpTimeoutMs = 1000;

/** The flushes, the same for those who wait and for jobs. */
export function flushesFromConfig({ storage }: Config, { state, cache, bus, live }: FlushParts): Flushes {
  const clock = systemClock;
  return createFlushes({
    state,
    cache,
    bus,
    prefix: storage.redis.prefix,
    rules: () => live().rules,
    clock,
    accountNames: createAccountNames({
      bus,
      clock,
      protocols: () => live().protocols,
      timeoutMs: lookUpTimeoutMs,
    }),
    siteNames: createSiteNames({
      bus,
      clock,
      prefix: storage.redis.prefix,
      hasScript: () => live().hasScript,
      timeoutMs: lookUpTimeoutMs,
    }),
  });
}
