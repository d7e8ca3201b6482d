import { bruteForceRules } from "../domain/brute-force/index.ts";
import {
  createAccountNames,
  createFlushes,
  createScriptedNames,
  type FindAccountNames,
  type Flushes,
  lookUpTimeoutMs,
  searchProtocols,
} from "../domain/flush/index.ts";
import { createRiskNames } from "../domain/risk/index.ts";
import type { Bus } from "../platform/bus/connect.ts";
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

/** Finds the accounts behind a login name. */
export function accountNamesFromSettings({
  bus,
  live,
}: Pick<FlushParts, "bus"> & { readonly live: () => Pick<FlushSettings, "protocols"> }): FindAccountNames {
  const protocols = (): readonly string[] => live().protocols;
  return createAccountNames({ bus, clock: steadyClock, protocols, timeoutMs: lookUpTimeoutMs });
}

/** Flushes for synchronous requests and for jobs. */
export function flushesFromConfig({ storage }: Config, { state, cache, bus, live }: FlushParts): Flushes {
  const { prefix: keyPrefix, password_nonce } = storage.redis;
  const riskNames = createRiskNames(password_nonce);
  return createFlushes({
    state,
    cache,
    bus,
    keyPrefix,
    riskKeysOf: (name) => {
      const digest = riskNames.account(name);
      return [riskAccountKey, riskReviewKey].map((key) => key.build(keyPrefix, digest));
    },
    rules: () => live().rules,
    clock: systemClock,
    accountNames: accountNamesFromSettings({ bus, live }),
    scriptedNames: createScriptedNames(bus, keyPrefix, () => live().hasScript),
  });
}
