import { normalisedProtocol } from "../../contracts/auth/request.ts";
import { bruteForceFlushed } from "../../contracts/events.ts";
import type { Bus } from "../../platform/bus/connect.ts";
import type { RedisClient } from "../../platform/redis/client.ts";
import { accountAddressesKey, accountIndexKey, banIndexKey } from "../../platform/redis/keys/brute-force.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { removeKeys } from "../account-epoch/index.ts";
import type { RegionalFlush } from "./regions/regional-flush.ts";
import type { BruteForceRule, BruteForceRules } from "./rules.ts";
import { shardOf } from "./shards.ts";
import { accountKeys, accountWideKeys, otherKeysOf, sourceOf, userPart } from "./source.ts";

/** The parameters of a brute-force flush; empty texts mean "not given". */
export interface FlushRequest {
  readonly ipAddress: string;
  /** `*` selects every rule. */
  readonly ruleName: string;
  /** Selects rules whose `filter_by_protocol` contains this value, and the rule of that name if it has no filter. */
  readonly protocol?: string | undefined;
  /** Selects rules whose `filter_by_oidc_cid` contains this value, and the rule of that name if it has no filter. */
  readonly oidcClientId?: string | undefined;
}

export interface FlushDeps {
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly rules: () => BruteForceRules;
  readonly clock: Clock;
  /** Announces each flush, including a failed one, so that engines forget what they remember of it. Absent where nothing is flushed. */
  readonly bus?: Pick<Bus, "publish">;
  /** Absent if no other regions are configured. */
  readonly regions?: RegionalFlush | undefined;
}

/** What was flushed; rules by name. */
export type FlushedScopes = Readonly<Record<"addresses" | "rules", readonly string[]>>;

const everyRule = "*";

function isMeant({ name, protocols, oidcClientIds }: BruteForceRule, request: FlushRequest): boolean {
  const { ruleName, protocol = "", oidcClientId = "" } = request;
  if (ruleName !== everyRule && ruleName !== name) return false;
  // A rule without filters applies to every protocol and client if it is requested by name.
  const isOf = (value: string, of: readonly string[]): boolean =>
    value === "" || of.includes(value) || (of.length === 0 && ruleName === name);
  return isOf(normalisedProtocol(protocol), protocols) && isOf(oidcClientId, oidcClientIds);
}

/** Whether the flush selects everything of an address rather than one rule. */
function isWhole({ ruleName, protocol = "", oidcClientId = "" }: FlushRequest): boolean {
  return ruleName === everyRule && protocol === "" && oidcClientId === "";
}

export async function unindex(
  { redis, keyPrefix }: Pick<FlushDeps, "redis" | "keyPrefix">,
  keys: readonly string[],
): Promise<void> {
  const byShard = Map.groupBy(keys, shardOf);
  await Promise.all(
    [...byShard].map(([shard, members]) => redis.zrem(banIndexKey.build(keyPrefix, shard), ...members)),
  );
}

/** Keys of bans and counts; others are, when the whole address is flushed, everything else stored about it. */
function keysOfAddress({ keyPrefix, rules, clock }: FlushDeps, request: FlushRequest) {
  const parts = { ...rules(), keyPrefix };
  const source = sourceOf(request.ipAddress, parts);
  if (source === undefined) return { bans: [], counts: [], others: [] };
  const meant = source.scopes.filter(({ rule }) => isMeant(rule, request));
  const counts = meant.map(({ countKey }) => countKey);
  const bans = meant.map(({ banKey }) => banKey);
  const others = isWhole(request) ? otherKeysOf(parts, source, clock.now()) : [];
  return { source, meant, bans, counts, others };
}

/** Keys that a flush would remove if they exist. */
export function keysOfFlush(deps: FlushDeps, request: FlushRequest): readonly string[] {
  const { bans, counts, others } = keysOfAddress(deps, request);
  return [...counts, ...others, ...bans];
}

function publishFlush({ rules, bus }: FlushDeps, addresses: readonly string[], request: FlushRequest): void {
  const names = rules().rules.flatMap((rule) => (isMeant(rule, request) ? rule.name : []));
  if (addresses.length > 0 && names.length > 0)
    bus?.publish(bruteForceFlushed, { addresses: [...addresses], rules: names });
}

/** The keys that existed and were removed, sorted. */
export async function flushAddress(deps: FlushDeps, request: FlushRequest): Promise<readonly string[]> {
  try {
    return await removeOfAddress(deps, request);
  } finally {
    publishFlush(deps, [request.ipAddress], request);
  }
}

async function removeOfAddress(deps: FlushDeps, request: FlushRequest): Promise<readonly string[]> {
  const { redis, regions } = deps;
  const { source, meant, bans, counts, others } = keysOfAddress(deps, request);
  const removed =
    regions === undefined || source === undefined
      ? // The count is removed before the ban: otherwise a failure in between would leave a count at its limit, which bans again.
        [...(await removeKeys(redis, [...counts, ...others])), ...(await removeKeys(redis, bans))]
      : [...(await removeKeys(redis, others)), ...(await regions.address(source, meant, isWhole(request)))];
  await unindex(deps, bans);
  return removed.toSorted();
}

function ownKeys(deps: FlushDeps, account: string, address: string): readonly string[] {
  const parts = { ...deps.rules(), keyPrefix: deps.keyPrefix };
  const source = sourceOf(address, parts);
  if (source === undefined) return [];
  const { wrongPasswords, pending } = accountKeys(parts, source, account);
  return [wrongPasswords, pending];
}

/** Counts of the account over all networks. Known networks are kept. */
function countsOfAccount({ keyPrefix }: FlushDeps, account: string): readonly string[] {
  const { failures, delayed } = accountWideKeys(keyPrefix, account);
  return [failures, delayed];
}

/** Keys that a flush of the account would remove if they exist. */
export function keysOfAccountFlush(deps: FlushDeps, account: string, addresses: readonly string[]): readonly string[] {
  const ofAddresses = addresses.flatMap((address) => [
    ...ownKeys(deps, account, address),
    ...keysOfFlush(deps, { ipAddress: address, ruleName: everyRule }),
  ]);
  const addressesKey = accountAddressesKey.build(deps.keyPrefix, userPart(account));
  return [...new Set([...ofAddresses, ...countsOfAccount(deps, account), addressesKey])];
}

async function removeCountsOfAccount(deps: FlushDeps, account: string): Promise<readonly string[]> {
  return deps.regions?.account(account) ?? removeKeys(deps.redis, countsOfAccount(deps, account));
}

/** Removes what is stored about the wrong passwords of an account from some addresses; the counts over all networks stay. */
export async function forgetWrongPasswords(
  deps: FlushDeps,
  account: string,
  addresses: readonly string[],
): Promise<readonly string[]> {
  return removeKeys(
    deps.redis,
    addresses.flatMap((address) => ownKeys(deps, account, address)),
  );
}

export interface FlushScope {
  /** Bans and counts of the addresses remain: they protect other accounts too. */
  readonly keepsBans?: boolean;
}

/** Flushes every address that sent wrong passwords for the account, and what is stored about its wrong passwords there. */
export async function flushAccount(
  deps: FlushDeps,
  account: string,
  addresses: readonly string[],
  { keepsBans = false }: FlushScope = {},
): Promise<readonly string[]> {
  const { redis, keyPrefix } = deps;
  if (keepsBans) {
    const removed = await forgetWrongPasswords(deps, account, addresses);
    return [...removed, ...(await removeCountsOfAccount(deps, account))].toSorted();
  }
  const removed = new Set<string>();
  try {
    for (const address of addresses) {
      for (const key of await removeKeys(redis, ownKeys(deps, account, address))) removed.add(key);
      for (const key of await removeOfAddress(deps, { ipAddress: address, ruleName: everyRule })) removed.add(key);
    }
  } finally {
    publishFlush(deps, addresses, { ipAddress: "", ruleName: everyRule });
  }
  for (const key of await removeCountsOfAccount(deps, account)) removed.add(key);
  const user = userPart(account);
  await redis.zrem(accountIndexKey.build(keyPrefix, shardOf(user)), user);
  // Removed last, so that a flush that resumes an interrupted one still finds the addresses here.
  for (const key of await removeKeys(redis, [accountAddressesKey.build(keyPrefix, user)])) removed.add(key);
  return [...removed].toSorted();
}
