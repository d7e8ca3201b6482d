import { accountAddressesKey, accountIndexKey, banIndexKey } from "../redis/keys/brute-force.ts";
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
import { withoutShadowed } from "./shadowed.ts";
import { sourceOf, userPart } from "./source.ts";

export interface BanPage {
  /** Of several rules that ban one network the first, in the order of the configuration. May be fewer than `size`. */
  readonly bans: readonly Ban[];
  readonly next: string | undefined;
}

export interface GuessedAccount {
  readonly account: string;
  /** The latest first, at most 1000. */
  readonly addresses: readonly string[];
}

export interface AccountPage {
  readonly accounts: readonly GuessedAccount[];
  readonly next: string | undefined;
}

/**
 * The state of the protection against guessing, for those who look at it and undo it. All of it may be repeated: what
 * is gone already is not reported again.
 */
export interface BruteForceState {
  listBans(page: { readonly cursor?: string | undefined; readonly size: number }): Promise<BanPage>;
  /** Bans that an address is under, by any rule. */
  bansOfAddress(ipAddress: string): Promise<readonly Ban[]>;
  listGuessedAccounts(page: { readonly cursor?: string | undefined; readonly size: number }): Promise<AccountPage>;
  addressesOf(account: string): Promise<readonly string[]>;
  /** Keys that were there and are removed, sorted; empty for an unknown rule or address. */
  flush(request: FlushRequest): Promise<readonly string[]>;
  /** Flushes every rule for each address from which the account was guessed, and what is known of its wrong passwords. */
  flushAccount(account: string): Promise<readonly string[]>;
  /** What `flush` would remove of it, there or not. */
  keysOf(request: FlushRequest): readonly string[];
  /** What `flushAccount` would remove of it, there or not. */
  keysOfAccount(account: string): Promise<readonly string[]>;
}

function bansIn(values: readonly (string | null)[]): readonly Ban[] {
  return values.flatMap((value) => (value === null ? [] : (parseBan(value) ?? [])));
}

/** Bans that the index names; those that are over leave it. */
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

export function createBruteForceState(deps: FlushDeps): BruteForceState {
  const { redis, prefix, rules, clock } = deps;
  const readPage = createIndexReader(redis);
  const banShard = (shard: string): string => banIndexKey.build(prefix, shard);
  const accountShard = (shard: string): string => accountIndexKey.build(prefix, shard);
  const addressesOf = (account: string): Promise<readonly string[]> =>
    redis.zrevrange(accountAddressesKey.build(prefix, userPart(account)), 0, -1);
  return {
    listBans: async ({ cursor, size }) => {
      const leastScore = Math.floor(clock.now() / 1000);
      const { members, next } = await readPage(banShard, { cursor, size, leastScore });
      return { bans: await withoutShadowed(deps, await readListed(deps, members)), next };
    },
    bansOfAddress: async (ipAddress) => {
      const source = sourceOf(ipAddress, { ...rules(), prefix });
      const keys = source?.places.map(({ banKey }) => banKey) ?? [];
      return bansIn((await readValues(redis, [keys])).flat());
    },
    listGuessedAccounts: async ({ cursor, size }) => {
      const { members, next } = await readPage(accountShard, { cursor, size, leastScore: 0 });
      const addresses = await Promise.all(members.map(addressesOf));
      return { accounts: members.map((account, index) => ({ account, addresses: addresses[index] ?? [] })), next };
    },
    addressesOf,
    flush: (request) => flushAddress(deps, request),
    flushAccount: async (account) => flushAccount(deps, account, await addressesOf(account)),
    keysOf: (request) => keysOfFlush(deps, request),
    keysOfAccount: async (account) => keysOfAccountFlush(deps, account, await addressesOf(account)),
  };
}
