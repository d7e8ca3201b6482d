import { setImmediate } from "node:timers/promises";
import type { Base } from "@postern/shared/assembly";
import { bruteForceFlushed } from "@postern/shared/contracts";
import { createBanIndex, sourceOf, userPart } from "@postern/shared/domain/brute-force";
import type { Bus } from "@postern/shared/platform/bus";
import type { Config } from "@postern/shared/platform/config";
import { probeKey, type RedisClient } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import { createAccountDelays } from "../brute-force/account-delays.ts";
import { createAccountStore } from "../brute-force/account-store-redis.ts";
import type { BruteForce } from "../brute-force/brute-force.ts";
import { type BruteForceMetrics, createBruteForceMetrics } from "../brute-force/brute-force-metrics.ts";
import { createRedisStore } from "../brute-force/brute-force-redis.ts";
import { createBruteForce } from "../brute-force/create-brute-force.ts";
import { createGuessDigest } from "../brute-force/guess-digest.ts";
import { createGuessedAccounts } from "../brute-force/guessed-accounts-redis.ts";
import { createLocalStore } from "../brute-force/local-store.ts";
import { createRedisGuard } from "../brute-force/redis-guard.ts";
import { createRedisLog } from "../brute-force/redis-log.ts";
import { type BruteForceSettings, bruteForceSettings } from "../brute-force/settings.ts";
import { createTargets } from "../brute-force/targets.ts";

/** The brute-force protection in use; a reload replaces it. */
export interface LiveBruteForce {
  readonly current: BruteForce;
  readonly reload: (config: Config) => Promise<void>;
}

interface Parts {
  readonly base: Base;
  readonly redis: RedisClient;
  readonly metrics: BruteForceMetrics;
}

export function usesBruteForce({ auth }: Config): boolean {
  return auth.controls.enabled.includes("brute_force");
}

function makeStores(settings: BruteForceSettings, keyPrefix: string, { base, redis, metrics }: Parts) {
  const parts = { ...settings, keyPrefix };
  const local = createLocalStore({
    clock: systemClock,
    sharePercent: () => settings.withoutRedis.sharePercent,
    repeatWindowMs: () => settings.repeatWindowMs,
    maxForgiven: () => settings.maxForgiven,
  });
  const probe = probeKey.build(keyPrefix, base.service, base.instance);
  const log = createRedisLog(base.logger, settings.withoutRedis.mode);
  const guard = createRedisGuard({
    timeoutMs: settings.withoutRedis.timeoutMs,
    retryMs: settings.withoutRedis.retryMs,
    probe: () => redis.set(probe, "1", "EX", probeKey.ttlSeconds),
    onAway: log.unavailable,
    onBack: () => {
      local.clearCounts();
      log.available();
    },
  });
  const { repeatWindowMs, maxForgiven } = settings;
  const shared = createRedisStore({ redis, parts, clock: systemClock, guard, repeatWindowMs, maxForgiven });
  const { accountDelay } = settings;
  const accountDelays =
    accountDelay &&
    createAccountDelays({
      settings: accountDelay,
      store: createAccountStore({ redis, keyPrefix, guard, settings: accountDelay }),
      clock: systemClock,
      delayed: (source) => metrics.delayed(source),
    });
  return { parts, local, shared, guard, accountDelays };
}

function makeBruteForce(config: Config, deps: Parts & { readonly away: { read: () => boolean } }): BruteForce {
  const { base, redis, metrics, away } = deps;
  const settings = bruteForceSettings(config.auth.controls.brute_force);
  const { prefix: keyPrefix, password_nonce: nonce } = config.storage.redis;
  const { parts, local, shared, guard, accountDelays } = makeStores(settings, keyPrefix, deps);
  away.read = () => guard.away;
  const index = createBanIndex(redis, keyPrefix);
  const remember = createGuessedAccounts(redis, keyPrefix);
  return createBruteForce({
    settings,
    targetOf: createTargets(settings, parts),
    scopesOf: (address) => sourceOf(address, parts)?.scopes ?? [],
    shared,
    local,
    accountDelays,
    guard,
    clock: systemClock,
    digest: createGuessDigest(nonce),
    index: ({ banKey }, ban) => index(banKey, ban),
    remember: async ({ username, source }, account = username) => {
      const names = new Set([userPart(username), userPart(account)]);
      await Promise.all([...names].map((name) => remember(name, source.address)));
    },
    events: {
      ...metrics,
      banned: ({ session, username, protocol }, ban, { accountPasswordsSeen, totalPasswordsSeen }) => {
        metrics.banned(ban.rule);
        base.logger.warn(
          {
            session,
            rule: ban.rule,
            network: ban.network,
            username,
            protocol,
            until: new Date(ban.expiresAtMs).toISOString(),
            account_passwords_seen: accountPasswordsSeen,
            total_passwords_seen: totalPasswordsSeen,
          },
          "network banned",
        );
      },
    },
  });
}

/** Undefined if `auth.controls.enabled` does not list brute-force protection. */
export function createLiveBruteForce(
  config: Config,
  { base, bus, redis }: { readonly base: Base; readonly bus: Bus; readonly redis: RedisClient | undefined },
): LiveBruteForce | undefined {
  if (!usesBruteForce(config) || redis === undefined) return undefined;
  const away = { read: () => false };
  const metrics = createBruteForceMetrics(base.metrics, {
    metricsPrefix: base.metricsPrefix,
    rules: config.auth.controls.brute_force.buckets.map(({ name }) => name),
    away: () => away.read(),
  });
  const make = (from: Config): BruteForce => makeBruteForce(from, { base, redis, metrics, away });
  const state = {
    current: make(config),
    reload: async (next: Config): Promise<void> => {
      const replacement = make(next);
      // Redis pipelines that are open now do not know the new commands; they are sent in this turn of the event loop.
      await setImmediate();
      state.current = replacement;
    },
  };
  bus.subscribe(bruteForceFlushed, (flushed) => state.current.flush(flushed));
  return state;
}
