import type { RedisClient } from "../redis/client.ts";
import { accountAddressesKey, accountIndexKey, banIndexKey } from "../redis/keys/brute-force.ts";
import type { Clock } from "../time/clock.ts";
import type { BruteForceRule, BruteForceRules } from "./rules.ts";
import { shardOf } from "./shards.ts";
import { accountKeys, type Source, type SourceParts, sourceOf, tolerationKeysOf, userPart } from "./source.ts";

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

export interface FlushDeps {
  readonly redis: RedisClient;
  readonly prefix: string;
  readonly rules: () => BruteForceRules;
  readonly clock: Clock;
  /** Told after each flush, also after one that failed: what engines remember of it has to go. */
  readonly onFlushed?: ((places: FlushedPlaces) => void) | undefined;
}

/** What was flushed; rules by name. */
export interface FlushedPlaces {
  readonly addresses: readonly string[];
  readonly rules: readonly string[];
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
async function remove(redis: RedisClient, keys: readonly string[]): Promise<readonly string[]> {
  const removed = await Promise.all(keys.map((key) => redis.del(key)));
  return keys.filter((_key, index) => removed[index] === 1);
}

/** Takes bans out of the index. */
export async function unindex(
  { redis, prefix }: Pick<FlushDeps, "redis" | "prefix">,
  keys: readonly string[],
): Promise<void> {
  const byShard = Map.groupBy(keys, shardOf);
  await Promise.all([...byShard].map(([shard, members]) => redis.zrem(banIndexKey.build(prefix, shard), ...members)));
}

interface AddressKeys {
  readonly bans: readonly string[];
  /** Counts, and with a flush of the whole address what else is known of it. */
  readonly others: readonly string[];
}

function keysOfAddress({ prefix, rules, clock }: FlushDeps, request: FlushRequest): AddressKeys {
  const parts = { ...rules(), prefix };
  const source = sourceOf(request.ipAddress, parts);
  if (source === undefined) return { bans: [], others: [] };
  const meant = source.places.filter(({ rule }) => isMeant(rule, request));
  const whole = isWhole(request) ? [...tolerationKeys(parts, source, clock.now()), source.guessesKey] : [];
  return {
    bans: meant.map(({ banKey }) => banKey),
    others: [...meant.map(({ countKey }) => countKey), ...whole],
  };
}

/** Keys that a flush would remove if they are there. */
export function keysOfFlush(deps: FlushDeps, request: FlushRequest): readonly string[] {
  const { bans, others } = keysOfAddress(deps, request);
  return [...others, ...bans];
}

function tell({ rules, onFlushed }: FlushDeps, addresses: readonly string[], request: FlushRequest): void {
  const names = rules().rules.flatMap((rule) => (isMeant(rule, request) ? rule.name : []));
  if (addresses.length > 0 && names.length > 0) onFlushed?.({ addresses, rules: names });
}

/** Keys that were there and are removed, sorted. */
export async function flushAddress(deps: FlushDeps, request: FlushRequest): Promise<readonly string[]> {
  try {
    return await removeOfAddress(deps, request);
  } finally {
    tell(deps, [request.ipAddress], request);
  }
}

async function removeOfAddress(deps: FlushDeps, request: FlushRequest): Promise<readonly string[]> {
  const { redis } = deps;
  const { bans, others } = keysOfAddress(deps, request);
  // The count goes before the ban: else a failure in between would find it at its limit and ban anew.
  const removed = [...(await remove(redis, others)), ...(await remove(redis, bans))];
  await unindex(deps, bans);
  return removed.toSorted();
}

function ownKeys(deps: FlushDeps, account: string, address: string): readonly string[] {
  const parts = { ...deps.rules(), prefix: deps.prefix };
  const source = sourceOf(address, parts);
  if (source === undefined) return [];
  const { wrongPasswords, pending } = accountKeys(parts, source, account);
  return [wrongPasswords, pending];
}

async function flushAccountAt(deps: FlushDeps, account: string, address: string): Promise<readonly string[]> {
  const own = await remove(deps.redis, ownKeys(deps, account, address));
  return [...(await removeOfAddress(deps, { ipAddress: address, ruleName: everyRule })), ...own];
}

/** Keys that a flush of the account would remove if they are there. */
export function keysOfAccountFlush(deps: FlushDeps, account: string, addresses: readonly string[]): readonly string[] {
  const ofAddresses = addresses.flatMap((address) => [
    ...ownKeys(deps, account, address),
    ...keysOfFlush(deps, { ipAddress: address, ruleName: everyRule }),
  ]);
  return [...new Set([...ofAddresses, accountAddressesKey.build(deps.prefix, userPart(account))])];
}

/** The same for every address from which the account was guessed, and what is known of its wrong passwords there. */
export async function flushAccount(
  deps: FlushDeps,
  account: string,
  addresses: readonly string[],
): Promise<readonly string[]> {
  const { redis, prefix } = deps;
  const removed = new Set<string>();
  try {
    for (const address of addresses) {
      for (const key of await flushAccountAt(deps, account, address)) removed.add(key);
    }
  } finally {
    tell(deps, addresses, { ipAddress: "", ruleName: everyRule });
  }
  const user = userPart(account);
  await redis.zrem(accountIndexKey.build(prefix, shardOf(user)), user);
  // Last: who goes on where another stopped finds the addresses here.
  for (const key of await remove(redis, [accountAddressesKey.build(prefix, user)])) removed.add(key);
  return [...removed].toSorted();
}
