import { randomUUID } from "node:crypto";
import type { BruteForceFlushRequest, CacheFlushRequest } from "../../contracts/admin/flush-operations.ts";
import { cacheFlushScript } from "../../contracts/engine/methods.ts";
import type { Bus } from "../../platform/bus/connect.ts";
import { canonicalIp } from "../../platform/net/ip.ts";
import type { RedisClient } from "../../platform/redis/client.ts";
import { decidedInRedis } from "../../platform/redis/decided.ts";
import { scriptCacheKey } from "../../platform/redis/keys/general.ts";
import { createAccountFlush, createAccountKeys, removeKeys } from "../account-epoch/index.ts";
import {
  type BruteForceRecords,
  createBruteForceRecords,
  type FlushDeps,
  type FlushScope,
  networkOf,
} from "../brute-force/index.ts";
import type { RegionLog } from "../regions/index.ts";
import { type FindAccountNames, lookUpLimits } from "./account-names.ts";

/** Calls an engine, because the site's scripts run there. `hasScript`: whether `cache_flush_script_path` is set. */
export function createScriptedNames(bus: Pick<Bus, "request">, keyPrefix: string, hasScript: () => boolean) {
  /**
   * Never rejects. `accounts`: other names of the account. `keys`: those of the role `cache` that the site's scripts store about it.
   * `isComplete`: false if a script is configured and did not answer.
   */
  return async (user: string) => {
    if (!hasScript()) return { accounts: [], keys: [], isComplete: true };
    try {
      const answer = await bus.request(cacheFlushScript, { session: randomUUID(), user }, lookUpLimits());
      const keys = answer.cacheKeys.map((digest) => scriptCacheKey.build(keyPrefix, digest));
      return { accounts: answer.accounts, keys, isComplete: true };
    } catch {
      // The engine that ran the script logs the reason; the status tells the operator.
      return { accounts: [], keys: [], isComplete: false };
    }
  };
}

type FindScriptedNames = ReturnType<typeof createScriptedNames>;

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

interface FlushesDeps extends Omit<FlushDeps, "redis"> {
  /** The client of the role `state`. */
  readonly state: RedisClient;
  /** The client of the role `cache`. */
  readonly cache: RedisClient;
  readonly bus: Pick<Bus, "publish">;
  readonly accountNames: FindAccountNames;
  readonly scriptedNames: FindScriptedNames;
  /** Keys of the facts about an account's sign-ins. */
  readonly riskKeysOf: (account: string) => readonly string[];
  /** Removes these keys in all regions; absent without regions. */
  readonly flushFacts?: ((account: string) => Promise<readonly string[]>) | undefined;
  /** Where other regions read of a flush; absent without regions. */
  readonly log?: Pick<RegionLog, "append"> | undefined;
}

async function existing(redis: RedisClient, keys: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(keys.map((key) => redis.exists(key)));
  return keys.filter((_key, index) => found[index] === 1);
}

function flushRequestOf({ ip_address, rule_name, protocol, oidc_cid }: BruteForceFlushRequest) {
  const ipAddress = flushedAddress(ip_address) ?? "";
  return { ipAddress, ruleName: rule_name, protocol, oidcClientId: oidc_cid };
}

const orUnavailable = decidedInRedis("some keys could not be flushed");

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

async function namesOf(user: string, { accountNames, scriptedNames }: FlushesDeps) {
  const [known, site] = await Promise.all([accountNames(user), scriptedNames(user)]);
  return { user, known, site, all: new Set([user, ...known.spellings, ...known.accounts, ...site.accounts]) };
}

function createFlushUser(
  { state, cache, bus, keyPrefix, riskKeysOf, flushFacts, log }: FlushesDeps,
  bruteForce: Pick<BruteForceRecords, "flushAccount">,
) {
  const flushAccount = createAccountFlush({ redis: cache, bus, keyPrefix });
  return async (
    { user, known, site, all }: Awaited<ReturnType<typeof namesOf>>,
    { keepsBans = false }: FlushScope,
  ): Promise<Flushed> => {
    const spelled = new Set([user, ...known.spellings]).size;
    const removed = new Set<string>();
    const add = (keys: readonly string[]): void => keys.forEach((key) => removed.add(key));
    const results = async (): Promise<void> => {
      // Names found by a flush are added to the set and not flushed again.
      for (const { names, removedKeys } of await each([...all], flushAccount)) {
        for (const name of names) all.add(name);
        add(removedKeys);
      }
    };
    const otherRegions = async (): Promise<void> =>
      log?.append(...[...all].map((name) => ({ kind: "account-flush", user: name, keepsBans }) as const));
    const bans = async (): Promise<void> =>
      (await each([...all], (name) => bruteForce.flushAccount(name, { keepsBans }))).forEach(add);
    const ofScripts = async (): Promise<void> => add(await removeKeys(cache, site.keys));
    // After the results, which name the account behind a login name if no backend can, and after their event, on which
    // engines discard what they have yet to write.
    const facts = async (): Promise<void> => {
      if (flushFacts !== undefined) return (await each([...all], flushFacts)).forEach(add);
      for (const key of [...all].flatMap(riskKeysOf)) {
        if ((await state.del(key)) === 1) removed.add(key);
      }
    };
    await each([results, otherRegions, facts, bans, ofScripts], (step) => step());
    return {
      removedKeys: [...removed].toSorted(),
      isComplete: known.isComplete || all.size > spelled,
      isLookupDenied: known.isDenied && all.size === spelled,
      isScriptDone: site.isComplete,
    };
  };
}

/**
 * The flushes of the management API, for synchronous requests and for jobs. Each is repeatable: what has already been removed is not
 * reported again.
 *
 * @throws AppError REDIS_UNAVAILABLE: a part may have been done; the whole may be repeated.
 */
export function createFlushes(deps: FlushesDeps) {
  const { state, cache, bus, keyPrefix, rules, clock, riskKeysOf, regions } = deps;
  const bruteForce = createBruteForceRecords({
    redis: state,
    keyPrefix,
    rules,
    clock,
    regions,
    bus,
  });
  const flushUser = createFlushUser(deps, bruteForce);
  const accountKeys = createAccountKeys({ redis: cache, keyPrefix });
  const present = async (keys: FoundKeys): Promise<FoundKeys> => ({
    cache: await existing(cache, keys.cache),
    state: await existing(state, keys.state),
  });
  return {
    cache: ({ user }: CacheFlushRequest, scope: FlushScope = {}): Promise<Flushed> =>
      orUnavailable(async () => flushUser(await namesOf(user, deps), scope)),
    bruteForce: (request: BruteForceFlushRequest): Promise<Flushed> =>
      orUnavailable(async () => ({
        removedKeys: await bruteForce.flush(flushRequestOf(request)),
        isComplete: true,
        isLookupDenied: false,
        isScriptDone: true,
      })),
    /** Existing keys that the flush would remove. */
    findOfCache: ({ user }: CacheFlushRequest): Promise<FoundKeys> =>
      orUnavailable(async () => {
        const { site, all } = await namesOf(user, deps);
        const ofCache = await Promise.all([...all].map(accountKeys));
        const names = new Set([...all, ...ofCache.flatMap((one) => one.names)]);
        const ofState = await Promise.all([...names].map(bruteForce.keysOfAccount));
        return present({
          cache: [...new Set([...ofCache.flatMap(({ keys }) => keys), ...site.keys])],
          state: [...new Set([...ofState.flat(), ...[...names].flatMap(riskKeysOf)])],
        });
      }),
    findOfBruteForce: (request: BruteForceFlushRequest): Promise<FoundKeys> =>
      orUnavailable(() => present({ cache: [], state: bruteForce.keysOf(flushRequestOf(request)) })),
    /** The keys that still exist. */
    present: (keys: FoundKeys): Promise<FoundKeys> => orUnavailable(() => present(keys)),
  };
}

export type Flushes = ReturnType<typeof createFlushes>;

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
