import {
  accountWideKeys,
  type BruteForceRules,
  CountMarks,
  countText,
  createBanIndex,
  createBruteForceRecords,
  createNetworkState,
  createRegionalFlush,
  type OwnRegion,
} from "@postern/shared/domain/brute-force";
import { loadConfig } from "@postern/shared/platform/config";
import { Secret } from "@postern/shared/platform/crypto";
import { createRedisClient, type RedisClient, type RedisTopology } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import { poll } from "@postern/testing";
import type { AccountFailure } from "../../../services/auth-engine/src/brute-force/account-store-redis.ts";
import { createRedisStore } from "../../../services/auth-engine/src/brute-force/brute-force-redis.ts";
import { bruteForceSettings } from "../../../services/auth-engine/src/brute-force/brute-force-settings.ts";
import { createGuessDigest } from "../../../services/auth-engine/src/brute-force/guess-digest.ts";
import { createGuessedAccounts } from "../../../services/auth-engine/src/brute-force/guessed-accounts-redis.ts";
import { createShareBans } from "../../../services/auth-engine/src/brute-force/share-bans.ts";
import type { CountedAttempt, NetworkNote } from "../../../services/auth-engine/src/brute-force/shared-store.ts";
import { createTargets } from "../../../services/auth-engine/src/brute-force/targets.ts";

const defaultPrefix = "test:";

/** Two rules for IPv4, the first with the narrower network, and one for IPv6. */
export const bruteForceOfTests = {
  buckets: [
    { name: "host", period: "10m", ban_time: "1h", cidr: 32, failed_requests: 10, ipv4: true },
    { name: "net", period: "1h", ban_time: "2h", cidr: 24, failed_requests: 25, ipv4: true },
    { name: "v6", period: "10m", ban_time: "1h", cidr: 64, failed_requests: 10, ipv6: true },
  ],
};
const settings = readSettings(bruteForceOfTests);

export function readSettings(bruteForce: object) {
  const result = loadConfig({
    text: JSON.stringify({ auth: { controls: { brute_force: bruteForce } } }),
    env: {},
    readFile: () => "",
  });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return bruteForceSettings(result.config.auth.controls.brute_force);
}

export async function connect(topology: RedisTopology, username?: string): Promise<RedisClient> {
  const client = createRedisClient(
    {
      topology,
      database: 0,
      username,
      password: username === undefined ? undefined : new Secret("any"),
      tls: undefined,
      connectTimeoutMs: 2000,
      commandTimeoutMs: 2000,
      maxRetries: 1,
      connectionName: "test",
    },
    () => undefined,
  );
  await poll("Redis to be connected", async () =>
    client.set("test:ready", "1", "EX", 60).then(
      () => true,
      () => false,
    ),
  );
  return client;
}

/** A guard that passes every call to Redis and returns its reply. */
export const unguarded = { isUnavailable: false, run: <T>(ask: () => Promise<T>): Promise<T> => ask() };

/** The reply of an available Redis. */
export async function answered<T>(answer: Promise<T | undefined>): Promise<T> {
  const found = await answer;
  if (found === undefined) throw new Error("Redis was not called");
  return found;
}

/** A wrong password of an account, in the form of the store of accounts. */
export function failureOf(
  username: string,
  digest: string,
  network?: string,
  keyPrefix = defaultPrefix,
): AccountFailure {
  const source = { network, isTrusted: false };
  return { target: { username, keys: accountWideKeys(keyPrefix, username), source }, digest };
}

/** Notes changes immediately, and knows when it has. */
export function createPromptMarks(redis: RedisClient, keyPrefix: string) {
  const marks = new CountMarks(redis, keyPrefix);
  const pending: Promise<unknown>[] = [];
  const markSoon: CountMarks["markSoon"] = (counts) => {
    if (counts.length > 0) pending.push(marks.mark(counts.map(countText)));
  };
  return { markSoon, written: async () => void (await Promise.all(pending.splice(0))) };
}

interface RegionOfCounting {
  readonly keyPrefix: string;
  readonly own: OwnRegion;
  readonly marks: Pick<CountMarks, "markSoon">;
}

/** The counts as one engine sees them. */
export function createCounting(redis: RedisClient, region?: RegionOfCounting) {
  const { keyPrefix = defaultPrefix } = region ?? {};
  const rules: BruteForceRules = settings;
  const parts = { ...settings, keyPrefix };
  const store = createRedisStore({
    redis,
    parts,
    clock: systemClock,
    guard: unguarded,
    repeatWindowMs: 900_000,
    maxForgiven: settings.maxForgiven,
    marks: region?.marks,
  });
  const share = region && createShareBans({ redis, keyPrefix, clock: systemClock, region: region.own });
  const regions = region && createRegionalFlush(redis, keyPrefix, region.own);
  const targetOf = createTargets(settings, parts);
  const digest = createGuessDigest("test-password-nonce-0");
  const toleration = { minPercent: 10, maxPercent: 10, scale: 1 };
  const target = (clientIp: string, username: string): CountedAttempt => {
    const { target: found } = targetOf({
      session: "s",
      operation: "authenticate",
      dialect: "json",
      username,
      password: undefined,
      protocol: "imap",
      clientIp,
      tls: true,
      memoryCache: true,
      sharedCache: true,
    });
    if (found === undefined) throw new Error(`no rule applies to ${clientIp}`);
    return found;
  };
  const index = createBanIndex(redis, keyPrefix);
  return {
    index,
    remember: createGuessedAccounts(redis, keyPrefix, systemClock),
    state: createBruteForceRecords({ redis, keyPrefix, rules: () => rules, clock: systemClock, regions }),
    rulesOf: createNetworkState({
      redis,
      keyPrefix,
      rules: () => rules,
      clock: systemClock,
      hasRegions: region !== undefined,
    }).rulesOf,
    target,
    check: (ip: string, user = "alice") => answered(store.check(target(ip, user))),
    fail: async (ip: string, password: string, { user = "alice", known = true } = {}) => {
      const at = target(ip, user);
      const counted = await answered(store.count(at, { digest: digest(user, password), known, toleration }));
      const place = at.scopes.find(({ rule }) => rule.name === counted.ban?.rule);
      if (!counted.isNew || counted.ban === undefined || place === undefined) return counted;
      await index(place.banKey, counted.ban);
      await share?.(at);
      return counted;
    },
    forgiven: (ip: string, user = "alice") => store.forgiven?.(target(ip, user)),
    noteAndSucceed: (ip: string, user: string, note: NetworkNote) =>
      answered(store.succeed(target(ip, user), user, toleration, note)),
    succeed: async (ip: string, user = "alice") =>
      (await answered(store.succeed(target(ip, user), user, toleration))).ban,
  };
}

export type Counting = ReturnType<typeof createCounting>;
