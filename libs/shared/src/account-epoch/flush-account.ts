import { randomBytes } from "node:crypto";
import type { Bus } from "../bus/bus.ts";
import { accountFlushed } from "../contracts/account/events.ts";
import type { RedisClient } from "../redis/client.ts";
import {
  accountEpochKey,
  accountNamesKey,
  accountResultsKey,
  flushGenerationKey,
  loginNameKey,
} from "../redis/keys/account.ts";
import { defineScript, type RunScript } from "../redis/script.ts";
import { nameDigest } from "./name-digest.ts";

export interface AccountFlushDeps {
  /** Of the role `cache`. */
  readonly redis: RedisClient;
  readonly bus: Pick<Bus, "publish">;
  /** `storage.redis.prefix`. */
  readonly prefix: string;
}

export interface FlushedAccount {
  /** The name that was given, and the account behind it where that is another. */
  readonly names: readonly string[];
  /** Exactly the keys that were there and are gone. Empty when nothing was cached, or it was flushed before. */
  readonly removedKeys: readonly string[];
}

/**
 * Makes every cached result of a user dead, by account or login name (taken literally), on all engines: the epoch
 * changes first, so that a login under way cannot bring an old result back; then what is cached goes; then the event
 * tells the engines. Doing it twice does no harm.
 *
 * @throws what Redis throws; the event is sent all the same, and the flush may be repeated.
 */
export type FlushAccount = (user: string) => Promise<FlushedAccount>;

/** KEYS: epoch, results, names of one account; ARGV: the new epoch, its TTL (s). What is cached, to be deleted. */
const raiseLua = `
redis.call("SET", KEYS[1], ARGV[1], "EX", ARGV[2])
return {redis.call("ZRANGE", KEYS[2], 0, -1), redis.call("ZRANGE", KEYS[3], 0, -1)}
`;

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

async function removeKeys(redis: RedisClient, keys: readonly string[]): Promise<readonly string[]> {
  // One by one: login names live in other Cluster slots, and each answer says whether its key was there.
  const removed = await Promise.all(keys.map((key) => redis.del(key)));
  return keys.filter((_key, index) => removed[index] === 1);
}

interface FlushParts extends Pick<AccountFlushDeps, "redis" | "prefix"> {
  readonly raise: RunScript;
  readonly epoch: string;
}

async function flushOne(account: string, { redis, prefix, raise, epoch }: FlushParts): Promise<readonly string[]> {
  const digest = nameDigest(account);
  const results = accountResultsKey.build(prefix, digest);
  const names = accountNamesKey.build(prefix, digest);
  const keys = [accountEpochKey.build(prefix, digest), results, names];
  const reply = await raise(keys, [epoch, accountEpochKey.ttlSeconds]);
  const [resultKeys, nameKeys]: readonly unknown[] = Array.isArray(reply) ? reply : [];
  if (!isTexts(resultKeys) || !isTexts(nameKeys)) throw new TypeError("the flush's script answered something else");
  const removed = await removeKeys(redis, [...resultKeys, ...nameKeys]);
  // Only what was read: a login of after the flush may have added its own.
  if (resultKeys.length > 0) await redis.zrem(results, ...resultKeys);
  if (nameKeys.length > 0) await redis.zrem(names, ...nameKeys);
  return removed;
}

export function createAccountFlush({ redis, bus, prefix }: AccountFlushDeps): FlushAccount {
  const raise = defineScript(redis, { name: "raiseAccountEpoch", lua: raiseLua, numberOfKeys: 3 });
  return async (user) => {
    // Random, not counted: a Redis that lost the last value must not come to it again.
    const epoch = randomBytes(12).toString("base64url");
    const names = [user];
    const removedKeys: string[] = [];
    try {
      const loginName = loginNameKey.build(prefix, nameDigest(user));
      const account = await redis.get(loginName);
      if (account !== null && account !== user) names.push(account);
      await redis.set(flushGenerationKey.build(prefix), epoch, "EX", flushGenerationKey.ttlSeconds);
      for (const name of names) removedKeys.push(...(await flushOne(name, { redis, prefix, raise, epoch })));
      removedKeys.push(...(await removeKeys(redis, [loginName])));
    } finally {
      bus.publish(accountFlushed, { names });
    }
    return { names, removedKeys };
  };
}

export interface AccountKeys {
  /** The name that was given, and the account behind it where that is another. */
  readonly names: readonly string[];
  /** What a flush would remove, there or not. */
  readonly keys: readonly string[];
}

export type FindAccountKeys = (user: string) => Promise<AccountKeys>;

export function createAccountKeys({ redis, prefix }: Omit<AccountFlushDeps, "bus">): FindAccountKeys {
  return async (user) => {
    const loginName = loginNameKey.build(prefix, nameDigest(user));
    const account = await redis.get(loginName);
    const names = account === null || account === user ? [user] : [user, account];
    const indexes = names.flatMap((name) => {
      const digest = nameDigest(name);
      return [accountResultsKey.build(prefix, digest), accountNamesKey.build(prefix, digest)];
    });
    const members = await Promise.all(indexes.map((key) => redis.zrevrange(key, 0, -1)));
    return { names, keys: [...new Set([...members.flat(), loginName])] };
  };
}
