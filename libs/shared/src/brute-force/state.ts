import type { RedisClient } from "../redis/client.ts";
import { accountAddressesKey, accountIndexKey, banIndexKey } from "../redis/keys/brute-force.ts";
import type { Clock } from "../time/clock.ts";
import { type Ban, parseBan } from "./ban.ts";
import { createIndexReader } from "./pages.ts";
import type { BruteForceRule, BruteForceRules } from "./rules.ts";
import { shardOf } from "./shards.ts";
import {
  accountKeys,
  guessesKeyOf,
  type RulePlace,
  type Source,
  type SourceParts,
  sourceOf,
  tolerationKeysOf,
  userPart,
} from "./source.ts";

/** What the contract's brute-force flush asks for; empty texts mean "not given". */
export interface FlushRequest {
  readonly ipAddress: string;
  /** `*` is every rule. */
  readonly ruleName: string;
  /** Only rules that `filter_by_protocol` restricts to this one among others. */
  readonly protocol?: string | undefined;
  /** Only rules that `filter_by_oidc_cid` restricts to this one among others. */
  readonly oidcClientId?: string | undefined;
}

export interface BanPage {
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
}

export interface BruteForceStateDeps {
  readonly redis: RedisClient;
  readonly prefix: string;
  readonly rules: () => BruteForceRules;
  readonly clock: Clock;
}

const everyRule = "*";

function isMeant({ name, protocols, oidcClientIds }: BruteForceRule, request: FlushRequest): boolean {
  const { ruleName, protocol = "", oidcClientId = "" } = request;
  if (ruleName !== everyRule && ruleName !== name) return false;
  if (protocol !== "" && !protocols.includes(protocol)) return false;
  return oidcClientId === "" || oidcClientIds.includes(oidcClientId);
}

/** Everything of an address, and not of one rule only. */
function isWhole({ ruleName, protocol = "", oidcClientId = "" }: FlushRequest): boolean {
  return ruleName === everyRule && protocol === "" && oidcClientId === "";
}

function tolerationKeys(parts: SourceParts, { tag, places }: Source, nowMs: number): readonly string[] {
  return [...new Set(places.map(({ network }) => network))].flatMap((network) =>
    tolerationKeysOf(parts, tag, { network, nowMs }),
  );
}

/** Removes keys one by one: they may lie in several slots, and each answer says whether the key was there. */
function createRemover(redis: RedisClient) {
  return async (keys: readonly string[]): Promise<readonly string[]> => {
    const removed = await Promise.all(keys.map((key) => redis.del(key)));
    return keys.filter((_key, index) => removed[index] === 1);
  };
}

export function createBruteForceState({ redis, prefix, rules, clock }: BruteForceStateDeps): BruteForceState {
  const partsNow = (): SourceParts => ({ ...rules(), prefix });
  const remove = createRemover(redis);
  const readPage = createIndexReader(redis);
  const unindex = async (keys: readonly string[]): Promise<void> => {
    await Promise.all(keys.map((key) => redis.zrem(banIndexKey.build(prefix, shardOf(key)), key)));
  };
  const readBans = async (keys: readonly string[]): Promise<readonly Ban[]> => {
    const values = await Promise.all(keys.map((key) => redis.get(key)));
    const gone = keys.filter((_key, index) => values[index] === null);
    if (gone.length > 0) await unindex(gone);
    return values.flatMap((value) => (value === null ? [] : (parseBan(value) ?? [])));
  };
  const flush = async (request: FlushRequest): Promise<readonly string[]> => {
    const parts = partsNow();
    const source = sourceOf(request.ipAddress, parts);
    if (source === undefined) return [];
    const meant: readonly RulePlace[] = source.places.filter(({ rule }) => isMeant(rule, request));
    const bans = meant.map(({ banKey }) => banKey);
    const rest = meant.map(({ countKey }) => countKey);
    const whole = isWhole(request) ? [...tolerationKeys(parts, source, clock.now()), guessesKeyOf(parts, source)] : [];
    // The count goes before the ban: else a failure in between would find it at its limit and ban anew.
    const removed = [...(await remove([...rest, ...whole])), ...(await remove(bans))];
    await unindex(bans);
    return removed.toSorted();
  };
  const addressesOf = (account: string): Promise<readonly string[]> =>
    redis.zrevrange(accountAddressesKey.build(prefix, userPart(account)), 0, -1);
  const flushAddressOf = async (account: string, address: string): Promise<readonly string[]> => {
    const parts = partsNow();
    const source = sourceOf(address, parts);
    const keys = source === undefined ? undefined : accountKeys(parts, source, account);
    const own = keys === undefined ? [] : await remove([keys.wrongPasswords, keys.pending]);
    return [...(await flush({ ipAddress: address, ruleName: everyRule })), ...own];
  };
  return {
    listBans: async ({ cursor, size }) => {
      const leastScore = Math.floor(clock.now() / 1000);
      const keyOf = (shard: string): string => banIndexKey.build(prefix, shard);
      const { members, next } = await readPage(keyOf, { cursor, size, leastScore });
      return { bans: await readBans(members), next };
    },
    bansOfAddress: async (ipAddress) => {
      const source = sourceOf(ipAddress, partsNow());
      return source === undefined ? [] : readBans(source.places.map((place) => place.banKey));
    },
    listGuessedAccounts: async ({ cursor, size }) => {
      const keyOf = (shard: string): string => accountIndexKey.build(prefix, shard);
      const { members, next } = await readPage(keyOf, { cursor, size, leastScore: 0 });
      const addresses = await Promise.all(members.map(addressesOf));
      return { accounts: members.map((account, index) => ({ account, addresses: addresses[index] ?? [] })), next };
    },
    addressesOf,
    flush,
    flushAccount: async (account) => {
      const removed = new Set<string>();
      for (const address of await addressesOf(account)) {
        for (const key of await flushAddressOf(account, address)) removed.add(key);
      }
      const user = userPart(account);
      await redis.zrem(accountIndexKey.build(prefix, shardOf(user)), user);
      // Last: who goes on where another stopped finds the addresses here.
      for (const key of await remove([accountAddressesKey.build(prefix, user)])) removed.add(key);
      return [...removed].toSorted();
    },
  };
}
