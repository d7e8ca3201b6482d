import { setImmediate } from "node:timers/promises";
import { type Base, ownRegionFromConfig } from "@postern/shared/assembly";
import { bruteForceFlushed, networkBanned } from "@postern/shared/contracts";
import {
  type Ban,
  type BruteForceRecords,
  bruteForceRules,
  CountMarks,
  createBanIndex,
  createBruteForceRecords,
  type OwnRegion,
  sourceOf,
  userPart,
} from "@postern/shared/domain/brute-force";
import { endsWithin } from "@postern/shared/platform/concurrency";
import type { Config } from "@postern/shared/platform/config";
import { createRedisClock, probeKey, type RedisClock, type TrackedValues } from "@postern/shared/platform/redis";
import { steadyClock, systemClock } from "@postern/shared/platform/time";
import type { Foundation } from "../foundation.ts";
import type { Attempt } from "../pipeline/attempt.ts";
import { createAccountDelays } from "./account-delays.ts";
import { accountFailuresScript, createAccountStore } from "./account-store-redis.ts";
import type { BruteForce } from "./brute-force.ts";
import { type BruteForceMetrics, createBruteForceMetrics } from "./brute-force-metrics.ts";
import { createRedisStore, failuresScript } from "./brute-force-redis.ts";
import { type BruteForceSettings, bruteForceSettings, usesBruteForce } from "./brute-force-settings.ts";
import { createBruteForce } from "./create-brute-force.ts";
import { createLocalStore } from "./fallback/local-store.ts";
import { createGuessDigest } from "./guess-digest.ts";
import { createGuessedAccounts } from "./guessed-accounts-redis.ts";
import { createJoinedScripts } from "./joined-scripts.ts";
import { createLoginHistory, type LoginHistory } from "./login-history-redis.ts";
import { createObservingBruteForce } from "./observe.ts";
import { createRedisGuard, createRedisLog } from "./redis-guard.ts";
import { createShareBans } from "./share-bans.ts";
import type { RiskKeys } from "./shared-store.ts";
import { createTargets } from "./targets.ts";
import { createTracked } from "./tracked.ts";

interface Parts extends Pick<Foundation, "base" | "bus" | "redis"> {
  readonly metrics: BruteForceMetrics;
  readonly clock: RedisClock;
  /** Called when Redis is available again. */
  readonly onAvailable: () => void;
  /** What the check for bans reads for the score of a sign-in. */
  readonly riskKeysOf: ((attempt: Attempt) => RiskKeys | undefined) | undefined;
  readonly onBan: () => void;
  /** Absent if the engine reads Redis for every check. */
  readonly tracked: TrackedValues | undefined;
  /** Absent if no other regions are configured. */
  readonly region: OwnRegion | undefined;
}

function makeStores(
  settings: BruteForceSettings,
  keyPrefix: string,
  { base, redis, metrics, clock, onAvailable, tracked, region }: Parts,
) {
  const parts = { ...settings, keyPrefix };
  const local = createLocalStore({
    clock,
    sharePercent: settings.withoutRedis.sharePercent,
    repeatWindowMs: settings.repeatWindowMs,
    maxForgiven: settings.maxForgiven,
  });
  const probe = probeKey.build(keyPrefix, base.service, base.instance);
  const log = createRedisLog(base.logger, settings.withoutRedis.mode, clock);
  const guard = createRedisGuard({
    timeoutMs: settings.withoutRedis.timeoutMs,
    retryMs: settings.withoutRedis.retryMs,
    probe: () => redis.set(probe, "1", "EX", probeKey.ttlSeconds),
    onUnavailable: log.unavailable,
    onWrongType: log.wrongType,
    onAvailable: () => {
      local.clearCounts();
      onAvailable();
      log.available();
    },
  });
  const { repeatWindowMs, maxForgiven, accountDelay } = settings;
  const [runCount, runAccountCount] = redis.isCluster
    ? []
    : createJoinedScripts(redis, failuresScript, accountFailuresScript);
  const common = { redis, clock, guard, tracked, marks: region && new CountMarks(redis, keyPrefix) };
  const shared = createRedisStore({ ...common, parts, repeatWindowMs, maxForgiven, runCount });
  const accountDelays =
    accountDelay &&
    createAccountDelays({
      settings: accountDelay,
      store: createAccountStore({ ...common, keyPrefix, settings: accountDelay, runCount: runAccountCount }),
      clock,
      delayed: (source) => {
        if (settings.mode === "enforce") metrics.delayed(source);
      },
    });
  const history = createLoginHistory({ redis, keyPrefix, clock: systemClock, guard, repeatWindowMs });
  return { parts, local, shared, guard, accountDelays, history };
}

function observing(bruteForce: BruteForce, { base, metrics }: Pick<Parts, "base" | "metrics">): BruteForce {
  return createObservingBruteForce(bruteForce, {
    refused: ({ session, username, protocol, clientIp }, rule) => {
      metrics.observed(rule);
      base.logger.info(
        { session, rule, username, protocol, client_ip: clientIp },
        "brute-force protection would have refused this sign-in",
      );
    },
    delayed: () => metrics.observed("account_delay"),
  });
}

function makeBruteForce(config: Config, deps: Parts & { readonly isRedisUnavailable: { read: () => boolean } }) {
  const { base, redis, metrics, isRedisUnavailable, clock, bus } = deps;
  const settings = bruteForceSettings(config.auth.controls.brute_force);
  const { prefix: keyPrefix, password_nonce: nonce } = config.storage.redis;
  const { parts, local, shared, guard, accountDelays, history } = makeStores(settings, keyPrefix, deps);
  isRedisUnavailable.read = () => guard.isUnavailable;
  const index = createBanIndex(redis, keyPrefix);
  const remember = createGuessedAccounts(redis, keyPrefix, clock);
  const bruteForce = createBruteForce({
    settings,
    targetOf: createTargets(settings, parts),
    riskKeysOf: deps.riskKeysOf,
    scopesOf: (address) => sourceOf(address, parts)?.scopes ?? [],
    shared,
    local,
    accountDelays,
    guard,
    clock,
    deadlineClock: steadyClock,
    digest: createGuessDigest(nonce),
    index: ({ banKey }, ban) => index(banKey, ban),
    share: deps.region && createShareBans({ redis, keyPrefix, clock, region: deps.region }),
    remember: async ({ username, source }, account = username) => {
      const names = new Set([userPart(username), userPart(account)]);
      await Promise.all([...names].map((name) => remember(name, source.address)));
    },
    events: {
      ...metrics,
      blocked: (rule) => {
        if (settings.mode === "enforce") metrics.blocked(rule);
      },
      banned: ({ session, username, protocol }, ban, { accountPasswordsSeen, totalPasswordsSeen }) => {
        metrics.banned(ban.rule);
        deps.onBan();
        bus.publish(networkBanned, ban);
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
            mode: settings.mode,
          },
          "network banned",
        );
      },
    },
  });
  return { bruteForce: settings.mode === "enforce" ? bruteForce : observing(bruteForce, deps), history };
}

interface LiveParts extends Pick<Foundation, "base" | "bus" | "redis"> {
  /** Absent if no sign-in is scored. */
  readonly risk: { readonly keysOf: (attempt: Attempt) => RiskKeys | undefined } | undefined;
  /** Called for each ban that this engine imposes. */
  readonly onBan: () => void;
}

/** The brute-force protection in use, which a reload replaces; undefined if `auth.controls.enabled` does not list brute-force protection. */
export function createLiveBruteForce(config: Config, { base, bus, redis, risk, onBan }: LiveParts) {
  if (!usesBruteForce(config)) return undefined;
  const isRedisUnavailable = { read: () => false };
  const tracked = createTracked(config, base, redis);
  const metrics = createBruteForceMetrics(base, {
    rules: config.auth.controls.brute_force.buckets.map(({ name }) => name),
    isRedisUnavailable: () => isRedisUnavailable.read(),
    isTracked: () => tracked?.isProven === true,
  });
  const clock = createRedisClock({ redis, steadyClock, wallClock: systemClock });
  let rules = bruteForceRules(config.auth.controls.brute_force);
  const records = createBruteForceRecords({
    redis,
    keyPrefix: config.storage.redis.prefix,
    rules: () => rules,
    clock,
    bus,
  });
  const learn = createLearning(clock, base.logger, records, (ban) => state.current.keepBan(ban));
  const region = ownRegionFromConfig(config, redis);
  const ofRisk = { riskKeysOf: risk?.keysOf };
  const parts = { ...ofRisk, base, redis, metrics, isRedisUnavailable, clock, bus, tracked, onBan, region };
  const make = (from: Config) => makeBruteForce(from, { ...parts, onAvailable: () => void learn() });
  let instance = make(config);
  const state = {
    get current(): BruteForce {
      return instance.bruteForce;
    },
    /** The sign-ins that mail servers report. */
    get history(): LoginHistory {
      return instance.history;
    },
    /** The stored bans and counts. */
    records,
    reload: async (next: Config): Promise<void> => {
      const replacement = make(next);
      // Redis pipelines that are open now do not know the new commands; they are sent in this turn of the event loop.
      await setImmediate();
      instance = replacement;
      rules = bruteForceRules(next.auth.controls.brute_force);
      await learn();
    },
    /** Resolves when the bans have been read from Redis, so that the engine can serve requests; without Redis, after the connection timeout. */
    ready: async (): Promise<void> => {
      const waitMs = config.storage.redis.connect_timeout;
      const connected = Promise.withResolvers<void>();
      redis.once("ready", connected.resolve);
      if (redis.status !== "ready") await endsWithin(connected.promise, waitMs);
      await endsWithin(learn(), waitMs);
    },
  };
  bus.subscribe(bruteForceFlushed, (flushed) => state.current.flush(flushed));
  bus.subscribe(networkBanned, (ban) => state.current.keepBan(ban));
  return state;
}

const banPageSize = 1000;
/** An engine remembers as many; Redis alone knows further ones. */
const maxBans = 65_536;

/** Reads the clock and the bans of Redis, so that the engine refuses banned networks while Redis is unavailable. */
function createLearning(
  clock: RedisClock,
  logger: Base["logger"],
  records: Pick<BruteForceRecords, "listBans">,
  keep: (ban: Ban) => void,
): () => Promise<void> {
  return async () => {
    try {
      await clock.measure();
      let count = 0;
      let cursor: string | undefined;
      do {
        const { bans, next } = await records.listBans({ cursor, size: banPageSize });
        for (const ban of bans) keep(ban);
        count += bans.length;
        cursor = next;
      } while (cursor !== undefined && count < maxBans);
      logger.info({ bans: count }, "bans read from Redis");
    } catch (err) {
      logger.warn({ err }, "bans could not be read: until Redis is available, only bans by this engine are in force");
    }
  };
}
