import { accountAddressesKey, accountIndexKey, banIndexKey } from "../../platform/redis/keys/brute-force.ts";
import { type Ban, parseBan } from "./ban.ts";
import {
  type FlushDeps,
  type FlushRequest,
  flushAccount,
  flushAddress,
  keysOfAccountFlush,
  keysOfFlush,
  unindex,
} from "./flush.ts";
import { createIndexReader } from "./pages.ts";
import { readValues } from "./read-values.ts";
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

export interface BanPage {
  /**
   * If several rules ban one network, only the first in the order of the configuration is listed. There may be fewer than `size`.
   */
  readonly bans: readonly Ban[];
  readonly next: string | undefined;
}

export interface GuessedAccount {
  readonly account: string;
  /** The latest first, at most 1000. */
  readonly addresses: readonly string[];
}

export interface NamePage {
  readonly names: readonly string[];
  readonly next: string | undefined;
}

export interface AccountPage {
  readonly accounts: readonly GuessedAccount[];
  readonly next: string | undefined;
}

/** An account whose password is being guessed from many networks, so that responses to unknown networks are delayed. */
export interface DelayedAccount {
  readonly account: string;
  /** Number of distinct wrong passwords. */
  readonly wrongPasswords: number;
  readonly untilMs: number;
}

/**
 * Reads and removes the state of the brute-force protection. Everything is repeatable: what has already been removed is not reported again.
 */
export interface BruteForceRecords {
  listBans(page: { readonly cursor?: string | undefined; readonly size: number }): Promise<BanPage>;
  /** The bans of an address, by any rule. */
  bansOfAddress(ipAddress: string): Promise<readonly Ban[]>;
  listGuessedAccounts(page: { readonly cursor?: string | undefined; readonly size: number }): Promise<AccountPage>;
  /** The guessed accounts without their addresses, each of which would need its own query. */
  listGuessedNames(page: { readonly cursor?: string | undefined; readonly size: number }): Promise<NamePage>;
  addressesOf(account: string): Promise<readonly string[]>;
  /** The delayed ones among the accounts, under the names for which wrong passwords were sent. */
  delayedAmong(accounts: readonly string[]): Promise<readonly DelayedAccount[]>;
  /** Number of distinct wrong passwords of an account over all networks; 0 if they are not counted, or the time in which they count is over. */
  wrongPasswordsOf(account: string): Promise<number>;
  /** The keys that existed and were removed, sorted; empty for an unknown rule or address. */
  flush(request: FlushRequest): Promise<readonly string[]>;
  /**
   * Flushes every rule for each address that sent wrong passwords for the account, and what is stored about its wrong passwords.
   */
  flushAccount(account: string): Promise<readonly string[]>;
  /** Keys that `flush` would remove, whether or not they exist. */
  keysOf(request: FlushRequest): readonly string[];
  /** Keys that `flushAccount` would remove, whether or not they exist. */
  keysOfAccount(account: string): Promise<readonly string[]>;
}

function bansIn(values: readonly (string | null)[]): readonly Ban[] {
  return values.flatMap((value) => (value === null ? [] : (parseBan(value) ?? [])));
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

export function createBruteForceRecords(deps: FlushDeps): BruteForceRecords {
  const { redis, keyPrefix, rules, clock } = deps;
  const readPage = createIndexReader(redis);
  const banShard = (shard: string): string => banIndexKey.build(keyPrefix, shard);
  const accountShard = (shard: string): string => accountIndexKey.build(keyPrefix, shard);
  const addressesOf = (account: string): Promise<readonly string[]> =>
    redis.zrevrange(accountAddressesKey.build(keyPrefix, userPart(account)), 0, -1);
  const delayKeyOf = (account: string): string => accountWideKeys(keyPrefix, account).delayed;
  const delayedWith = async (account: string, wrongPasswords: number): Promise<readonly DelayedAccount[]> => {
    if (!(wrongPasswords > 0)) return [];
    const leftMs = await redis.pttl(delayKeyOf(account));
    return leftMs > 0 ? [{ account, wrongPasswords, untilMs: clock.now() + leftMs }] : [];
  };
  return {
    listBans: async ({ cursor, size }) => {
      const leastScore = Math.floor(clock.now() / 1000);
      const { members, next } = await readPage(banShard, { cursor, size, leastScore });
      return { bans: await withoutShadowed(deps, await readListed(deps, members)), next };
    },
    bansOfAddress: async (ipAddress) => {
      const source = sourceOf(ipAddress, { ...rules(), keyPrefix });
      const keys = source?.scopes.map(({ banKey }) => banKey) ?? [];
      return bansIn((await readValues(redis, [keys])).flat());
    },
    listGuessedAccounts: async ({ cursor, size }) => {
      const { members, next } = await readPage(accountShard, { cursor, size, leastScore: 0 });
      const addresses = await Promise.all(members.map(addressesOf));
      return { accounts: members.map((account, index) => ({ account, addresses: addresses[index] ?? [] })), next };
    },
    addressesOf,
    listGuessedNames: async ({ cursor, size }) => {
      const { members, next } = await readPage(accountShard, { cursor, size, leastScore: 0 });
      return { names: members, next };
    },
    delayedAmong: async (accounts) => {
      const found = await readValues(
        redis,
        accounts.map((account) => [delayKeyOf(account)]),
      );
      const values = found.flat();
      return (
        await Promise.all(accounts.map((account, index) => delayedWith(account, Number(values[index] ?? 0))))
      ).flat();
    },
    wrongPasswordsOf: (account) => redis.scard(accountWideKeys(keyPrefix, account).failures),
    flush: (request) => flushAddress(deps, request),
    flushAccount: async (account) => flushAccount(deps, account, await addressesOf(account)),
    keysOf: (request) => keysOfFlush(deps, request),
    keysOfAccount: async (account) => keysOfAccountFlush(deps, account, await addressesOf(account)),
  };
}
