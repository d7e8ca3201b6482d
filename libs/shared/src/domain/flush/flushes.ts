import { randomUUID } from "node:crypto";
import type { BruteForceFlushRequest, CacheFlushRequest } from "../../contracts/admin/flush-operations.ts";
import { cacheFlushScript } from "../../contracts/engine/methods.ts";
import { bruteForceFlushed } from "../../contracts/events.ts";
import type { Bus } from "../../platform/bus/bus.ts";
import { abortAfter } from "../../platform/concurrency/deadline.ts";
import { AppError } from "../../platform/errors/index.ts";
import { canonicalIp } from "../../platform/net/ip.ts";
import type { RedisClient } from "../../platform/redis/client.ts";
import { scriptCacheKey } from "../../platform/redis/keys/scripts.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { createAccountFlush, createAccountKeys } from "../account-epoch/index.ts";
import { type BruteForceRecords, createBruteForceRecords, type FlushDeps, networkOf } from "../brute-force/index.ts";
import type { AccountNames, FindAccountNames } from "./account-names.ts";

/** What the site's script returns for a name. */
interface ScriptedNames {
  /** Other names of the account. */
  readonly accounts: readonly string[];
  /** Keys of the role `cache` that the site's scripts store about it. */
  readonly keys: readonly string[];
  /** False if a script is configured and did not answer. */
  readonly isComplete: boolean;
}

/** Never rejects. */
export type FindScriptedNames = (user: string) => Promise<ScriptedNames>;

interface ScriptedNamesDeps {
  readonly bus: Pick<Bus, "request">;
  readonly clock: Clock;
  readonly keyPrefix: string;
  /** Whether `cache_flush_script_path` is set. */
  readonly hasScript: () => boolean;
  readonly timeoutMs: number;
}

/** Calls an engine, because the site's scripts run there. */
export function createScriptedNames({
  bus,
  clock,
  keyPrefix,
  hasScript,
  timeoutMs,
}: ScriptedNamesDeps): FindScriptedNames {
  return async (user) => {
    if (!hasScript()) return { accounts: [], keys: [], isComplete: true };
    const call = { deadline: clock.now() + timeoutMs, signal: abortAfter(timeoutMs) };
    try {
      const answer = await bus.request(cacheFlushScript, { session: randomUUID(), user }, call);
      const keys = answer.cacheKeys.map((digest) => scriptCacheKey.build(keyPrefix, digest));
      return { accounts: answer.accounts, keys, isComplete: true };
    } catch {
      // The engine that ran the script logs the reason; the status tells the operator.
      return { accounts: [], keys: [], isComplete: false };
    }
  };
}

/**
 * The canonical address in an operator's input: an address, or a network as lists show it, represented by its first address. Undefined for
 * anything else.
 */
export function flushedAddress(text: string): string | undefined {
  const [bare = "", length] = text.split("/", 2);
  const address = canonicalIp(bare);
  if (address === undefined || length === undefined) return address;
  const longest = address.includes(":") ? 128 : 32;
  const isLength = /^\d{1,3}$/u.test(length) && Number(length) <= longest && text === `${bare}/${length}`;
  if (!isLength || Number(length) === 0) return undefined;
  const network = networkOf(address, Number(length));
  return canonicalIp(network.split("/", 1)[0] ?? "") === address ? address : undefined;
}

export interface Flushed {
  /** The keys that existed and were removed, sorted. */
  readonly removedKeys: readonly string[];
  /** False if no backend could say which account the name belongs to: results under another name may remain. */
  readonly isComplete: boolean;
  /** True if the lookup of the name was denied and nothing else named the account. */
  readonly isLookupDenied: boolean;
  /** False if the site's flush script did not answer: keys that only the script knows may remain. */
  readonly isScriptDone: boolean;
}

/** The keys found before anything is removed; a job that resumes an interrupted flush counts by them. */
export interface FoundKeys {
  /** The client of the role `cache`. */
  readonly cache: readonly string[];
  /** The client of the role `state`. */
  readonly state: readonly string[];
}

/**
 * The flushes of the management API, for synchronous requests and for jobs. Each is repeatable: what has already been removed is not
 * reported again.
 *
 * @throws AppError REDIS_UNAVAILABLE: a part may have been done; the whole may be repeated.
 */
export interface Flushes {
  cache(request: CacheFlushRequest): Promise<Flushed>;
  bruteForce(request: BruteForceFlushRequest): Promise<Flushed>;
  /** Existing keys that the flush would remove. */
  findOfCache(request: CacheFlushRequest): Promise<FoundKeys>;
  findOfBruteForce(request: BruteForceFlushRequest): Promise<FoundKeys>;
  /** The keys that still exist. */
  present(keys: FoundKeys): Promise<FoundKeys>;
}

export interface FlushesDeps extends Omit<FlushDeps, "redis"> {
  /** The client of the role `state`. */
  readonly state: RedisClient;
  /** The client of the role `cache`. */
  readonly cache: RedisClient;
  readonly bus: Pick<Bus, "publish">;
  readonly accountNames: FindAccountNames;
  readonly scriptedNames: FindScriptedNames;
  /** Keys of the facts about an account's sign-ins. */
  readonly riskKeysOf: (account: string) => readonly string[];
}

async function existing(redis: RedisClient, keys: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(keys.map((key) => redis.exists(key)));
  return keys.filter((_key, index) => found[index] === 1);
}

function flushRequestOf({ ip_address, rule_name, protocol, oidc_cid }: BruteForceFlushRequest) {
  const ipAddress = flushedAddress(ip_address) ?? "";
  return { ipAddress, ruleName: rule_name, protocol, oidcClientId: oidc_cid };
}

async function orUnavailable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("REDIS_UNAVAILABLE", { detail: "some keys could not be flushed", cause });
  }
}

/** Runs all items even if one fails, so that as much as possible is done; then throws the first failure. */
async function each<Item, Result>(items: Iterable<Item>, run: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  const failures: unknown[] = [];
  for (const item of items) {
    try {
      results.push(await run(item));
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return results;
}

interface CacheFlushParts {
  readonly bruteForce: BruteForceRecords;
  readonly flushAccount: ReturnType<typeof createAccountFlush>;
  readonly names: AccountNames;
  readonly site: ScriptedNames;
  readonly cache: RedisClient;
  readonly state: RedisClient;
  readonly riskKeysOf: (account: string) => readonly string[];
}

async function flushUser(user: string, parts: CacheFlushParts): Promise<Flushed> {
  const { state, riskKeysOf, bruteForce, flushAccount, names, site, cache } = parts;
  const all = new Set([user, ...names.accounts, ...site.accounts]);
  const removed = new Set<string>();
  const results = async (): Promise<void> => {
    // Names found by a flush are added to the set and not flushed again.
    const flushed = await each([...all], flushAccount);
    for (const one of flushed) {
      for (const name of one.names) all.add(name);
      for (const key of one.removedKeys) removed.add(key);
    }
  };
  const bans = async (): Promise<void> => {
    for (const keys of await each([...all], (name) => bruteForce.flushAccount(name))) {
      for (const key of keys) removed.add(key);
    }
  };
  const ofScripts = async (): Promise<void> => {
    const counts = await Promise.all(site.keys.map((key) => cache.del(key)));
    site.keys.forEach((key, index) => {
      if (counts[index] === 1) removed.add(key);
    });
  };
  // After the results, which name the account behind a login name if no backend can, and after their event, on which
  // engines discard what they have yet to write.
  const facts = async (): Promise<void> => {
    for (const key of [...all].flatMap(riskKeysOf)) {
      if ((await state.del(key)) === 1) removed.add(key);
    }
  };
  await each([results, facts, bans, ofScripts], (step) => step());
  return {
    removedKeys: [...removed].toSorted(),
    isComplete: names.isComplete || all.size > 1,
    isLookupDenied: names.isDenied && all.size === 1,
    isScriptDone: site.isComplete,
  };
}

export function createFlushes(deps: FlushesDeps): Flushes {
  const { state, cache, bus, keyPrefix, rules, clock, accountNames, scriptedNames, riskKeysOf } = deps;
  const bruteForce = createBruteForceRecords({
    redis: state,
    keyPrefix,
    rules,
    clock,
    onFlushed: (places) => {
      bus.publish(bruteForceFlushed, { addresses: [...places.addresses], rules: [...places.rules] });
    },
  });
  const flushAccount = createAccountFlush({ redis: cache, bus, keyPrefix });
  const accountKeys = createAccountKeys({ redis: cache, keyPrefix });
  const present = async (keys: FoundKeys): Promise<FoundKeys> => ({
    cache: await existing(cache, keys.cache),
    state: await existing(state, keys.state),
  });
  return {
    cache: ({ user }) =>
      orUnavailable(async () => {
        const [names, site] = await Promise.all([accountNames(user), scriptedNames(user)]);
        return flushUser(user, { bruteForce, flushAccount, names, site, cache, state, riskKeysOf });
      }),
    bruteForce: (request) =>
      orUnavailable(async () => ({
        removedKeys: await bruteForce.flush(flushRequestOf(request)),
        isComplete: true,
        isLookupDenied: false,
        isScriptDone: true,
      })),
    findOfCache: ({ user }) =>
      orUnavailable(async () => {
        const [known, site] = await Promise.all([accountNames(user), scriptedNames(user)]);
        const accounts = new Set([user, ...known.accounts, ...site.accounts]);
        const ofCache = await Promise.all([...accounts].map(accountKeys));
        const names = new Set([...accounts, ...ofCache.flatMap((one) => one.names)]);
        const ofState = await Promise.all([...names].map((name) => bruteForce.keysOfAccount(name)));
        return present({
          cache: [...new Set([...ofCache.flatMap(({ keys }) => keys), ...site.keys])],
          state: [...new Set([...ofState.flat(), ...[...names].flatMap(riskKeysOf)])],
        });
      }),
    findOfBruteForce: (request) =>
      orUnavailable(() => present({ cache: [], state: bruteForce.keysOf(flushRequestOf(request)) })),
    present: (keys) => orUnavailable(() => present(keys)),
  };
}

/** The `status` text of a flush. */
export function flushStatus({ removedKeys, isComplete, isLookupDenied, isScriptDone }: Flushed): string {
  const { length } = removedKeys;
  const done = length === 0 ? "not flushed" : `${length} keys flushed`;
  const missing = [
    isComplete ? "" : "; no backend could be queried for other names of the account",
    isLookupDenied ? "; the lookup of the name was denied, so other names of the account may remain" : "",
    isScriptDone ? "" : "; the site's flush script failed",
  ];
  return done + missing.join("");
}
