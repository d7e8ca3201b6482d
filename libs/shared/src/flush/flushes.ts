import { createAccountFlush, createAccountKeys } from "../account-epoch/index.ts";
import { type BruteForceState, createBruteForceState, type FlushDeps } from "../brute-force/index.ts";
import type { Bus } from "../bus/bus.ts";
import type { BruteForceFlushRequest, CacheFlushRequest } from "../contracts/admin/flush.ts";
import { bruteForceFlushed } from "../contracts/brute-force/events.ts";
import { AppError } from "../errors/index.ts";
import type { RedisClient } from "../redis/client.ts";
import type { AccountNames, FindAccountNames } from "./account-names.ts";
import { flushedAddress } from "./flushed-address.ts";
import type { FindSiteNames, SiteNames } from "./site-names.ts";

export interface Flushed {
  /** Exactly the keys that were there and are gone, sorted. */
  readonly removedKeys: readonly string[];
  /** False when no directory could say to which account the name belongs: results of another name may be left. */
  readonly isComplete: boolean;
  /** False when the site's script of flushes gave no answer: what only it knows may be left. */
  readonly isScriptDone: boolean;
}

/** What is known before anything is removed: who goes on where another stopped counts by it. */
export interface FoundKeys {
  /** Of the role `cache`. */
  readonly cache: readonly string[];
  /** Of the role `state`. */
  readonly state: readonly string[];
}

/**
 * The flushes of the management API, for those who wait and for jobs. Each may be repeated: what is gone already is
 * not reported again.
 *
 * @throws AppError REDIS_UNAVAILABLE: something of it may be done, all of it may be repeated.
 */
export interface Flushes {
  cache(request: CacheFlushRequest): Promise<Flushed>;
  bruteForce(request: BruteForceFlushRequest): Promise<Flushed>;
  /** Keys that are there now and that the flush would remove. */
  findOfCache(request: CacheFlushRequest): Promise<FoundKeys>;
  findOfBruteForce(request: BruteForceFlushRequest): Promise<FoundKeys>;
  /** Those of the keys that are there. */
  present(keys: FoundKeys): Promise<FoundKeys>;
}

export interface FlushesDeps extends Omit<FlushDeps, "redis"> {
  /** Of the role `state`. */
  readonly state: RedisClient;
  /** Of the role `cache`. */
  readonly cache: RedisClient;
  readonly bus: Pick<Bus, "publish">;
  readonly accountNames: FindAccountNames;
  readonly siteNames: FindSiteNames;
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
    throw new AppError("REDIS_UNAVAILABLE", { detail: "not everything could be flushed", cause });
  }
}

/** All of them, also after one failed, so that as much as can be is done; then the first failure. */
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
  readonly bruteForce: BruteForceState;
  readonly flushAccount: ReturnType<typeof createAccountFlush>;
  readonly names: AccountNames;
  readonly site: SiteNames;
  readonly cache: RedisClient;
}

async function flushUser(user: string, parts: CacheFlushParts): Promise<Flushed> {
  const { bruteForce, flushAccount, names, site, cache } = parts;
  const all = new Set([user, ...names.accounts, ...site.accounts]);
  const removed = new Set<string>();
  const results = async (): Promise<void> => {
    // Names that a flush finds join the set, and are not flushed again.
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
  await each([results, bans, ofScripts], (step) => step());
  return {
    removedKeys: [...removed].toSorted(),
    isComplete: names.isComplete || all.size > 1,
    isScriptDone: site.isComplete,
  };
}

export function createFlushes(deps: FlushesDeps): Flushes {
  const { state, cache, bus, prefix, rules, clock, accountNames, siteNames } = deps;
  const bruteForce = createBruteForceState({
    redis: state,
    prefix,
    rules,
    clock,
    onFlushed: (places) => {
      bus.publish(bruteForceFlushed, { addresses: [...places.addresses], rules: [...places.rules] });
    },
  });
  const flushAccount = createAccountFlush({ redis: cache, bus, prefix });
  const accountKeys = createAccountKeys({ redis: cache, prefix });
  const present = async (keys: FoundKeys): Promise<FoundKeys> => ({
    cache: await existing(cache, keys.cache),
    state: await existing(state, keys.state),
  });
  return {
    cache: ({ user }) =>
      orUnavailable(async () => {
        const [names, site] = await Promise.all([accountNames(user), siteNames(user)]);
        return flushUser(user, { bruteForce, flushAccount, names, site, cache });
      }),
    bruteForce: (request) =>
      orUnavailable(async () => ({
        removedKeys: await bruteForce.flush(flushRequestOf(request)),
        isComplete: true,
        isScriptDone: true,
      })),
    findOfCache: ({ user }) =>
      orUnavailable(async () => {
        const [known, site] = await Promise.all([accountNames(user), siteNames(user)]);
        const asked = new Set([user, ...known.accounts, ...site.accounts]);
        const ofCache = await Promise.all([...asked].map(accountKeys));
        const names = new Set([...asked, ...ofCache.flatMap((one) => one.names)]);
        const ofState = await Promise.all([...names].map((name) => bruteForce.keysOfAccount(name)));
        return present({
          cache: [...new Set([...ofCache.flatMap(({ keys }) => keys), ...site.keys])],
          state: [...new Set(ofState.flat())],
        });
      }),
    findOfBruteForce: (request) =>
      orUnavailable(() => present({ cache: [], state: bruteForce.keysOf(flushRequestOf(request)) })),
    present: (keys) => orUnavailable(() => present(keys)),
  };
}

/** The contract's `status` of a flush. */
export function flushStatus({ removedKeys, isComplete, isScriptDone }: Flushed): string {
  const { length } = removedKeys;
  const done = length === 0 ? "not flushed" : `${length} keys flushed`;
  const missing = [
    isComplete ? "" : "; no directory could be asked whether the name belongs to another account",
    isScriptDone ? "" : "; the site's script of flushes gave no answer",
  ];
  return done + missing.join("");
}
