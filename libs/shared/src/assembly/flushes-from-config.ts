import { bruteForceRules } from "../domain/brute-force/index.ts";
import {
  createAccountNames,
  createFlushes,
  createScriptedNames,
  type FindAccountNames,
  type Flushes,
  searchProtocols,
} from "../domain/flush/index.ts";
import { createRiskNames } from "../domain/risk/index.ts";
import type { Bus } from "../platform/bus/bus.ts";
import type { Config } from "../platform/config/index.ts";
import type { RedisClient } from "../platform/redis/client.ts";
import { riskAccountKey, riskReviewKey } from "../platform/redis/index.ts";
import { steadyClock, systemClock } from "../platform/time/clock.ts";

/** The part of the configuration that a flush uses; a reload replaces it. */
export type FlushSettings = ReturnType<typeof flushSettings>;

export function flushSettings(config: Config) {
  return {
    rules: bruteForceRules(config.auth.controls.brute_force),
    protocols: searchProtocols(config),
    hasScript: config.auth.backends.lua.backend.default.cache_flush_script_path !== "",
  };
}

interface FlushParts {
  readonly state: RedisClient;
  readonly cache: RedisClient;
  readonly bus: Pick<Bus, "publish" | "request">;
  readonly live: () => FlushSettings;
}

/** A backend that hangs must not delay the part of a flush that does not need it. */
const lookUpTimeoutMs = 1000;

/** Finds the accounts behind a login name. */
export function accountNamesFromSettings({
  bus,
  live,
}: {
  readonly bus: Pick<Bus, "request">;
  readonly live: () => Pick<FlushSettings, "protocols">;
}): FindAccountNames {
  return createAccountNames({
    bus,
    clock: steadyClock,
    protocols: () => live().protocols,
    timeoutMs: lookUpTimeoutMs,
  });
}

/** Flushes for synchronous requests and for jobs. */
export function flushesFromConfig({ storage }: Config, { state, cache, bus, live }: FlushParts): Flushes {
  const clock = systemClock;
  const riskNames = createRiskNames(storage.redis.password_nonce);
  return createFlushes({
    state,
    cache,
    bus,
    keyPrefix: storage.redis.prefix,
    riskKeysOf: (name) => {
      const digest = riskNames.account(name);
      return [riskAccountKey, riskReviewKey].map((key) => key.build(storage.redis.prefix, digest));
    },
    rules: () => live().rules,
    clock,
    accountNames: accountNamesFromSettings({ bus, live }),
    scriptedNames: createScriptedNames({
      bus,
      clock: steadyClock,
      keyPrefix: storage.redis.prefix,
      hasScript: () => live().hasScript,
      timeoutMs: lookUpTimeoutMs,
    }),
  });
}
