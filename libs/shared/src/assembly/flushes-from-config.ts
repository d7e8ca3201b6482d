import { bruteForceRules, createRegionalFlush } from "../domain/brute-force/index.ts";
import {
  createAccountNames,
  createFlushes,
  createScriptedNames,
  type FindAccountNames,
  type Flushes,
  searchProtocols,
} from "../domain/flush/index.ts";
import { createRiskNames, createSharedFactsFlush, riskSettings } from "../domain/risk/index.ts";
import type { Bus } from "../platform/bus/connect.ts";
import type { Config } from "../platform/config/index.ts";
import type { RedisClient } from "../platform/redis/client.ts";
import { riskAccountKey, riskReviewKey } from "../platform/redis/index.ts";
import { systemClock } from "../platform/time/clock.ts";
import { factMarksFromConfig, ownRegionFromConfig } from "./regions-from-config.ts";

/** The part of the configuration that a flush uses; a reload replaces it. */
export type FlushSettings = ReturnType<typeof flushSettings>;

export function flushSettings(config: Config) {
  const { brute_force: bruteForce } = config.auth.controls;
  return {
    rules: bruteForceRules(bruteForce),
    /** Failures of all regions from which an account is delayed; undefined if none is. */
    delayedFrom: bruteForce.account_delay.enabled ? bruteForce.account_delay.failures : undefined,
    /** Time for which an account knows a network. */
    knownSeconds: Math.ceil(bruteForce.account_delay.known_for / 1000),
    risk: riskSettings(config.auth.risk),
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

export function accountNamesFromSettings({
  bus,
  live,
}: Pick<FlushParts, "bus"> & { readonly live: () => Pick<FlushSettings, "protocols"> }): FindAccountNames {
  return createAccountNames(bus, () => live().protocols);
}

/** The keys of the facts about an account's sign-ins. */
function riskKeysFromConfig({ storage }: Config): (account: string) => readonly string[] {
  const { prefix: keyPrefix, password_nonce } = storage.redis;
  const riskNames = createRiskNames(password_nonce);
  return (name) => {
    const digest = riskNames.account(name);
    return [riskAccountKey, riskReviewKey].map((key) => key.build(keyPrefix, digest));
  };
}

/** Flushes the facts about an account's sign-ins in all regions; undefined without regions. */
function factsFlushFromConfig(config: Config, state: RedisClient) {
  const marks = factMarksFromConfig(config, state);
  if (marks === undefined) return undefined;
  const { prefix: keyPrefix, password_nonce: nonce } = config.storage.redis;
  const names = createRiskNames(nonce);
  const flush = createSharedFactsFlush(state, keyPrefix);
  return async (name: string): Promise<readonly string[]> => {
    const account = names.account(name);
    const removed = await flush(account);
    await marks.mark([account]);
    return removed;
  };
}

/** Flushes for synchronous requests and for jobs. */
export function flushesFromConfig(config: Config, { state, cache, bus, live }: FlushParts): Flushes {
  const { prefix: keyPrefix } = config.storage.redis;
  const region = ownRegionFromConfig(config, state);
  return createFlushes({
    state,
    cache,
    bus,
    keyPrefix,
    log: region?.log,
    regions: region && createRegionalFlush(state, keyPrefix, region),
    riskKeysOf: riskKeysFromConfig(config),
    flushFacts: factsFlushFromConfig(config, state),
    rules: () => live().rules,
    clock: systemClock,
    accountNames: accountNamesFromSettings({ bus, live }),
    scriptedNames: createScriptedNames(bus, keyPrefix, () => live().hasScript),
  });
}
