import { hash } from "node:crypto";
import { nameDigest } from "@postern/shared/domain/account-epoch";
import type { KeyRing } from "@postern/shared/platform/crypto";
import {
  accountEpochKey,
  accountNamesKey,
  accountResultsKey,
  cachedIdentityKey,
  cachedResultKey,
  defineScript,
  flushGenerationKey,
  loginNameKey,
  type RedisClient,
} from "@postern/shared/platform/redis";
import { type CachedResult, decodeResult, encodeResult } from "./cached-result.ts";
import storeCachedResultLua from "./scripts/store-cached-result.lua?raw";
import type { CacheFamily, CacheKey, SharedCache } from "./shared-cache.ts";

const storeCachedResult = {
  name: "storeCachedResult",
  lua: storeCachedResultLua,
  keys: ["epochKey", "resultKey", "resultsKey", "namesKey"],
  args: ["expectedEpoch", "value", "lifeMs", "loginNameKey", "indexSeconds", "maxIndexed"],
} as const;
const families = { result: cachedResultKey, identity: cachedIdentityKey } as const satisfies Record<
  CacheFamily,
  object
>;

/** The epoch of an account that was never flushed; the script has it too. */
const firstEpoch = "0";
const maxIndexed = 1024;

/** `<epoch>.<sealed, base64>`; undefined if it has another epoch, or was sealed by a key that was removed. */
function readEntry(key: string, text: string | null, epoch: string, keys: KeyRing): CachedResult | undefined {
  if (text === null || !text.startsWith(`${epoch}.`)) return undefined;
  const plain = keys.open(Buffer.from(text.slice(epoch.length + 1), "base64"), key);
  return plain === undefined ? undefined : decodeResult(plain.toString());
}

function keysOf(keyPrefix: string, { family, context }: CacheKey, account: string) {
  const digest = nameDigest(account);
  return {
    epoch: accountEpochKey.build(keyPrefix, digest),
    entry: families[family].build(keyPrefix, digest, hash("sha256", context, "base64url")),
    results: accountResultsKey.build(keyPrefix, digest),
    names: accountNamesKey.build(keyPrefix, digest),
  };
}

function createReads(redis: RedisClient, keyPrefix: string, keys: KeyRing) {
  const generationKey = flushGenerationKey.build(keyPrefix);
  const opened = (account: string, entry: string, values: readonly (string | null)[], epochs: Map<string, string>) => {
    const [current, text] = values;
    epochs.set(account, current ?? firstEpoch);
    return readEntry(entry, text ?? null, current ?? firstEpoch, keys);
  };
  const read = async (key: CacheKey, account: string, epochs: Map<string, string>) => {
    const { epoch, entry } = keysOf(keyPrefix, key, account);
    return opened(account, entry, await redis.mget(epoch, entry), epochs);
  };
  /** The result under the login name, the account behind it, and the generation: one command, but on a cluster one for each slot. */
  const readFirst = async (key: CacheKey, epochs: Map<string, string>) => {
    const { username } = key;
    const nameKey = loginNameKey.build(keyPrefix, nameDigest(username));
    if (redis.isCluster)
      return Promise.all([read(key, username, epochs), redis.get(nameKey), redis.get(generationKey)]);
    const { epoch, entry } = keysOf(keyPrefix, key, username);
    const [current = null, text = null, account = null, generation = null] = await redis.mget(
      epoch,
      entry,
      nameKey,
      generationKey,
    );
    return [opened(username, entry, [current, text], epochs), account, generation] as const;
  };
  return { read, readFirst };
}

/**
 * Results are stored under their account, so that one hash tag holds everything that a flush must reach. A reader knows
 * only the login name: it reads the results of that name and the account behind it at the same time. The two are
 * usually the same.
 * @param redis of the role `cache`.
 */
export function createRedisResultCache(redis: RedisClient, keyPrefix: string, keys: KeyRing): SharedCache {
  const store = defineScript(redis, storeCachedResult);
  const generationKey = flushGenerationKey.build(keyPrefix);

  const { read, readFirst } = createReads(redis, keyPrefix, keys);
  /** Read before the generation: a flush changes the generation before the epoch, so no flush is missed in between. */
  const epochBehind = async (key: string, generation: string): Promise<string | undefined> => {
    const current = (await redis.get(key)) ?? firstEpoch;
    return ((await redis.get(generationKey)) ?? "") === generation ? current : undefined;
  };
  return {
    read: async (key) => {
      const { username } = key;
      const epochs = new Map<string, string>();
      const [own, account, generation] = await readFirst(key, epochs);
      const isAlias = own === undefined && account !== null && account !== username;
      const result = isAlias ? await read(key, account, epochs) : own;
      return { result, epochs, generation: generation ?? "" };
    },
    write: async (key, { result, read: before, ttlMs }) => {
      const { account } = result.decision;
      const { epoch, entry, results, names } = keysOf(keyPrefix, key, account);
      const expected = before.epochs.get(account) ?? (await epochBehind(epoch, before.generation));
      if (expected === undefined) return false;
      const value = `${expected}.${keys.seal(encodeResult(result), entry).toString("base64")}`;
      const isAlias = account !== key.username;
      const nameKey = isAlias ? loginNameKey.build(keyPrefix, nameDigest(key.username)) : "";
      const stored = await store(
        { epochKey: epoch, resultKey: entry, resultsKey: results, namesKey: names },
        {
          expectedEpoch: expected,
          value,
          lifeMs: Math.ceil(ttlMs),
          loginNameKey: nameKey,
          indexSeconds: accountResultsKey.ttlSeconds,
          maxIndexed,
        },
      );
      if (stored !== 1) return false;
      if (isAlias) await redis.set(nameKey, account, "EX", loginNameKey.ttlSeconds);
      return true;
    },
  };
}
