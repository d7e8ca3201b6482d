import type { RedisClient } from "../../platform/redis/client.ts";
import { accountAddressesKey, accountIndexKey, banIndexKey } from "../../platform/redis/keys/brute-force.ts";
import { type Ban, bansIn } from "./ban.ts";
import {
  type FlushDeps,
  type FlushRequest,
  type FlushScope,
  flushAccount,
  flushAddress,
  keysOfAccountFlush,
  keysOfFlush,
  unindex,
} from "./flush.ts";
import { createIndexReader, type PageRequest } from "./pages.ts";
import { readValues } from "./read-values.ts";
import { countMembers } from "./shards.ts";
import { accountWideKeys, sourceOf, userPart } from "./source.ts";

/** Keys of bans with which an earlier rule may ban the same network. */
function shadowingKeys({ keyPrefix, rules }: FlushDeps, { network, rule }: Ban): readonly string[] {
  const source = sourceOf(network.split("/", 1)[0] ?? "", { ...rules(), keyPrefix });
  if (source === undefined) return [];
  const own = source.scopes.findIndex((scope) => scope.rule.name === rule);
  const earlier = own === -1 ? source.scopes : source.scopes.slice(0, own);
  return earlier.filter((scope) => scope.network === network).map(({ banKey }) => banKey);
}

/** Leaves each network in the list once, with the first rule that bans it. */
async function withoutShadowed(deps: FlushDeps, bans: readonly Ban[]): Promise<readonly Ban[]> {
  const found = await readValues(
    deps.redis,
    bans.map((ban) => shadowingKeys(deps, ban)),
  );
  return bans.filter((_ban, index) => found[index]?.every((value) => value === null) !== false);
}

/** Reads the bans that the index lists, and removes expired ones from the index. */
async function readListed(deps: FlushDeps, keys: readonly string[]): Promise<readonly Ban[]> {
  const found = await readValues(
    deps.redis,
    keys.map((key) => [key]),
  );
  const values = found.flat();
  const gone = keys.filter((_key, index) => values[index] === null);
  if (gone.length > 0) await unindex(deps, gone);
  return bansIn(values);
}

/**
 * Reads and removes the state of the brute-force protection. Everything is repeatable: what has already been removed is not reported again.
 */
export function createBruteForceRecords(deps: FlushDeps) {
  const { redis, keyPrefix, rules, clock } = deps;
  const readPage = createIndexReader(redis);
  const banShard = (shard: string): string => banIndexKey.build(keyPrefix, shard);
  const accountShard = (shard: string): string => accountIndexKey.build(keyPrefix, shard);
  const addressesOf = (account: string): Promise<readonly string[]> =>
    redis.zrevrange(accountAddressesKey.build(keyPrefix, userPart(account)), 0, -1);
  const delayKeyOf = (account: string): string => accountWideKeys(keyPrefix, account).delayed;
  const delayedWith = async (account: string, wrongPasswords: number) => {
    if (!(wrongPasswords > 0)) return [];
    const leftMs = await redis.pttl(delayKeyOf(account));
    return leftMs > 0 ? [{ account, wrongPasswords, untilMs: clock.now() + leftMs }] : [];
  };
  return {
    /** If several rules ban one network, only the first in the order of the configuration is listed. There may be fewer than `size`. */
    listBans: async (page: PageRequest) => {
      const { members, next } = await readPage(banShard, page, Math.floor(clock.now() / 1000));
      return { bans: await withoutShadowed(deps, await readListed(deps, members)), next };
    },
    /** The bans of an address, by any rule. */
    bansOfAddress: async (ipAddress: string): Promise<readonly Ban[]> => {
      const source = sourceOf(ipAddress, { ...rules(), keyPrefix });
      const keys = source?.scopes.map(({ banKey }) => banKey) ?? [];
      return bansIn((await readValues(redis, [keys])).flat());
    },
    /** `addresses`: the latest first, at most 1000. */
    listGuessedAccounts: async (page: PageRequest) => {
      const { members, next } = await readPage(accountShard, page, 0);
      const addresses = await Promise.all(members.map(addressesOf));
      return { accounts: members.map((account, index) => ({ account, addresses: addresses[index] ?? [] })), next };
    },
    addressesOf,
    /** The guessed accounts without their addresses, each of which would need its own query. */
    listGuessedNames: async (page: PageRequest) => {
      const { members, next } = await readPage(accountShard, page, 0);
      return { names: members, next };
    },
    /** The delayed ones among the accounts, under the names for which so many distinct wrong passwords were sent. */
    delayedAmong: async (accounts: readonly string[]) => {
      const found = await readValues(
        redis,
        accounts.map((account) => [delayKeyOf(account)]),
      );
      const values = found.flat();
      return (
        await Promise.all(accounts.map((account, index) => delayedWith(account, Number(values[index] ?? 0))))
      ).flat();
    },
    /** Number of distinct wrong passwords of an account over all networks; 0 if they are not counted, or the time in which they count is over. */
    wrongPasswordsOf: (account: string): Promise<number> => redis.scard(accountWideKeys(keyPrefix, account).failures),
    /** The keys that existed and were removed, sorted; empty for an unknown rule or address. */
    flush: (request: FlushRequest) => flushAddress(deps, request),
    /** Flushes every rule for each address that sent wrong passwords for the account, and what is stored about its wrong passwords. */
    flushAccount: async (of: string, scope?: FlushScope) => flushAccount(deps, of, await addressesOf(of), scope),
    /** Keys that `flush` would remove, whether or not they exist. */
    keysOf: (request: FlushRequest) => keysOfFlush(deps, request),
    /** Keys that `flushAccount` would remove, whether or not they exist. */
    keysOfAccount: async (account: string) => keysOfAccountFlush(deps, account, await addressesOf(account)),
  };
}

export type BruteForceRecords = ReturnType<typeof createBruteForceRecords>;
/** An account whose password is being guessed from many networks, so that responses to unknown networks are delayed. */
export type DelayedAccount = Awaited<ReturnType<BruteForceRecords["delayedAmong"]>>[number];
export type BanPage = Awaited<ReturnType<BruteForceRecords["listBans"]>>;

/** Number of accounts for which wrong passwords were sent since a time; at most as many as the index has. */
export function createGuessedCount(redis: RedisClient, keyPrefix: string) {
  const keyOf = (shard: string): string => accountIndexKey.build(keyPrefix, shard);
  return (sinceMs: number): Promise<number> => countMembers(redis, keyOf, Math.floor(sinceMs / 1000));
}
