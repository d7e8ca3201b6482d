import { hash, randomBytes } from "node:crypto";
import { accountFlushed } from "../../contracts/events.ts";
import type { Bus } from "../../platform/bus/connect.ts";
import type { RedisClient } from "../../platform/redis/client.ts";
import {
  accountEpochKey,
  accountNamesKey,
  accountResultsKey,
  flushGenerationKey,
  loginNameKey,
} from "../../platform/redis/keys/account.ts";
import { defineScript, readFields, textsIn } from "../../platform/redis/script.ts";
import changeAccountEpochLua from "./scripts/change-account-epoch.lua?raw";

/** An account or login name as part of a Redis key: of fixed length, and without braces, which would select a Cluster slot. */
export function nameDigest(name: string): string {
  return hash("sha256", name, "base64url");
}

/**
 * Removes keys one by one, because they may be in several Cluster slots and each answer says whether its key existed.
 *
 * @returns the keys that existed
 */
export async function removeKeys(redis: RedisClient, keys: readonly string[]): Promise<readonly string[]> {
  const removed = await Promise.all(keys.map((key) => redis.del(key)));
  return keys.filter((_key, index) => removed[index] === 1);
}

/** The given name and, if different, the account behind it. */
async function namesOf(redis: RedisClient, user: string, loginName: string): Promise<string[]> {
  return [...new Set([user, (await redis.get(loginName)) ?? user])];
}

interface CacheRole {
  /** The client of the role `cache`. */
  readonly redis: RedisClient;
  readonly keyPrefix: string;
}

/**
 * Invalidates every cached result of a user, by account or login name (taken literally), on all engines. The epoch changes first, so that a
 * login in progress cannot store an old result again; then the cached results are deleted; then the event notifies the engines. Idempotent.
 *
 * @returns the given name and, if different, the account behind it; and the keys that existed and were removed, none if nothing was cached
 * @throws what Redis throws; the event is sent nevertheless, and the flush may be repeated.
 */
export function createAccountFlush({ redis, bus, keyPrefix }: CacheRole & { readonly bus: Pick<Bus, "publish"> }) {
  const change = defineScript(redis, {
    name: "changeAccountEpoch",
    lua: changeAccountEpochLua,
    keys: ["epochKey", "resultsKey", "namesKey"],
    args: ["epoch", "lifeSeconds"],
  });
  const flushOne = async (account: string, epoch: string): Promise<readonly string[]> => {
    const digest = nameDigest(account);
    const results = accountResultsKey.build(keyPrefix, digest);
    const names = accountNamesKey.build(keyPrefix, digest);
    const reply = await change(
      { epochKey: accountEpochKey.build(keyPrefix, digest), resultsKey: results, namesKey: names },
      { epoch, lifeSeconds: accountEpochKey.ttlSeconds },
    );
    const lists = readFields(reply);
    const [resultKeys, nameKeys] = [textsIn(lists["resultKeys"]), textsIn(lists["nameKeys"])];
    const removed = await removeKeys(redis, [...resultKeys, ...nameKeys]);
    // Nothing but what was read is removed: a login after the flush may have added its own.
    if (resultKeys.length > 0) await redis.zrem(results, ...resultKeys);
    if (nameKeys.length > 0) await redis.zrem(names, ...nameKeys);
    return removed;
  };
  return async (user: string) => {
    // Random instead of a counter: a Redis that lost the last value must never return to it.
    const epoch = randomBytes(12).toString("base64url");
    let names = [user];
    const removedKeys: string[] = [];
    try {
      const loginName = loginNameKey.build(keyPrefix, nameDigest(user));
      names = await namesOf(redis, user, loginName);
      await redis.set(flushGenerationKey.build(keyPrefix), epoch, "EX", flushGenerationKey.ttlSeconds);
      for (const name of names) removedKeys.push(...(await flushOne(name, epoch)));
      removedKeys.push(...(await removeKeys(redis, [loginName])));
    } finally {
      bus.publish(accountFlushed, { names });
    }
    return { names, removedKeys };
  };
}

/** Names and keys of an account: the keys that a flush would remove, whether or not they exist. */
export function createAccountKeys({ redis, keyPrefix }: CacheRole) {
  return async (user: string) => {
    const loginName = loginNameKey.build(keyPrefix, nameDigest(user));
    const names = await namesOf(redis, user, loginName);
    const indexes = names.flatMap((name) => {
      const digest = nameDigest(name);
      return [accountResultsKey.build(keyPrefix, digest), accountNamesKey.build(keyPrefix, digest)];
    });
    const members = await Promise.all(indexes.map((key) => redis.zrevrange(key, 0, -1)));
    return { names, keys: [...new Set([...members.flat(), loginName])] };
  };
}
