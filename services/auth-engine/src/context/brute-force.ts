import { setImmediate } from "node:timers/promises";
import type { Base } from "@postern/shared/assembly";
import { createBanIndex, createGuessedAccounts, sourceOf, userPart } from "@postern/shared/brute-force";
import type { Bus } from "@postern/shared/bus";
import type { Config } from "@postern/shared/config";
import { bruteForceFlushed } from "@postern/shared/contracts";
import { probeKey, type RedisClient } from "@postern/shared/redis";
import { systemClock } from "@postern/shared/time";
import type { BruteForce } from "../brute-force/brute-force.ts";
import { type BruteForceMetrics, createBruteForceMetrics } from "../brute-force/brute-force-metrics.ts";
import { createRedisStore } from "../brute-force/brute-force-redis.ts";
import { createBruteForce } from "../brute-force/create-brute-force.ts";
import { createGuessDigest } from "../brute-force/guess-digest.ts";
import { createLocalStore } from "../brute-force/local-store.ts";
import { createRedisGuard } from "../brute-force/redis-guard.ts";
import { type BruteForceSettings, bruteForceSettings } from "../brute-force/settings.ts";
import { createTargets } from "../brute-force/targets.ts";

/** The protection in use; a reload puts another in its place. */
export interface BruteForceState {
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

function makeStores(settings: BruteForceSettings, prefix: string, { base, redis }: Parts) {
  const parts = { ...settings, prefix };
  const local = createLocalStore({
    clock: systemClock,
    sharePercent: () => settings.withoutRedis.sharePercent,
    repeatWindowMs: () => settings.repeatWindowMs,
    takenBack: () => settings.takenBack,
  });
  const probe = probeKey.build(prefix, base.service, base.instance);
  const guard = createRedisGuard({
    timeoutMs: settings.withoutRedis.timeoutMs,
    retryMs: settings.withoutRedis.retryMs,
    probe: () => redis.set(probe, "1", "EX", probeKey.ttlSeconds),
    onAway: (err) =>
      base.logger.error({ err, mode: settings.withoutRedis.mode }, "Redis is away: failures are counted here"),
    onBack: () => {
      local.clearCounts();
      base.logger.info("Redis is back: failures are counted there");
    },
  });
  const { repeatWindowMs, takenBack } = settings;
  const shared = createRedisStore({ redis, parts, clock: systemClock, guard, repeatWindowMs, takenBack });
  return { parts, local, shared, guard };
}

function makeBruteForce(config: Config, given: Parts & { readonly away: { read: () => boolean } }): BruteForce {
  const { base, redis, metrics, away } = given;
  const settings = bruteForceSettings(config.auth.controls.brute_force);
  const { prefix, password_nonce: nonce } = config.storage.redis;
  const { parts, local, shared, guard } = makeStores(settings, prefix, given);
  away.read = () => guard.away;
  const index = createBanIndex(redis, prefix);
  const remember = createGuessedAccounts(redis, prefix);
  return createBruteForce({
    settings,
    targetOf: createTargets(settings, parts),
    placesOf: (address) => sourceOf(address, parts)?.places ?? [],
    shared,
    local,
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

/** Undefined while `auth.controls.enabled` does not name it. */
export function createBruteForceState(
  config: Config,
  { base, bus, redis }: { readonly base: Base; readonly bus: Bus; readonly redis: RedisClient | undefined },
): BruteForceState | undefined {
  if (!usesBruteForce(config) || redis === undefined) return undefined;
  const away = { read: () => false };
  const metrics = createBruteForceMetrics(base.metrics, {
    prefix: base.prefix,
    rules: config.auth.controls.brute_force.buckets.map(({ name }) => name),
    away: () => away.read(),
  });
  const make = (from: Config): BruteForce => makeBruteForce(from, { base, redis, metrics, away });
  const state = {
    current: make(config),
    reload: async (next: Config): Promise<void> => {
      const made = make(next);
      // Pipelines that are open now do not know the new commands: they leave in this turn.
      await setImmediate();
      state.current = made;
    },
  };
  bus.subscribe(bruteForceFlushed, (places) => state.current.forget(places));
  return state;
}
