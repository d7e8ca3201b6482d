import { hash } from "node:crypto";
import { nameDigest } from "@postern/shared/account-epoch";
import type { KeyRing } from "@postern/shared/crypto";
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
} from "@postern/shared/redis";
import { type CachedResult, decodeResult, encodeResult } from "./cached-result.ts";
import type { CacheFamily, CacheQuestion, SharedCache } from "./shared-cache.ts";

export interface RedisResultCacheDeps {
  /** Of the role `cache`. */
  readonly redis: RedisClient;
  readonly prefix: string;
  readonly keys: KeyRing;
}

const families = { result: cachedResultKey, identity: cachedIdentityKey } as const satisfies Record<
  CacheFamily,
  object
>;

/** What an account without a flush has. */
const firstEpoch = "0";
const maxIndexed = 1024;

/**
 * Stores a result while the account's epoch is still the one that was seen before the directory was asked.
 * KEYS: epoch, result, results, names; ARGV: epoch, value, TTL (ms), login name's key or "", index TTL (s), index bound.
 */
const storeLua = `
if (redis.call("GET", KEYS[1]) or "${firstEpoch}") ~= ARGV[1] then return 0 end
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function note(index, member, expires)
  redis.call("ZREMRANGEBYSCORE", index, "-inf", now)
  redis.call("ZADD", index, expires, member)
  redis.call("ZREMRANGEBYRANK", index, 0, -1 - tonumber(ARGV[6]))
  redis.call("EXPIRE", index, ARGV[5])
end
redis.call("SET", KEYS[2], ARGV[2], "PX", ARGV[3])
note(KEYS[3], KEYS[2], now + ARGV[3])
if ARGV[4] ~= "" then note(KEYS[4], ARGV[4], now + ARGV[5] * 1000) end
return 1
`;

/** `<epoch>.<sealed, base64>`; undefined when it is of another epoch, or was sealed by a key that is gone. */
function readEntry(key: string, text: string | null, epoch: string, keys: KeyRing): CachedResult | undefined {
  if (text === null || !text.startsWith(`${epoch}.`)) return undefined;
  const plain = keys.open(Buffer.from(text.slice(epoch.length + 1), "base64"), key);
  return plain === undefined ? undefined : decodeResult(plain.toString());
}

function keysOf(prefix: string, { family, context }: CacheQuestion, account: string) {
  const digest = nameDigest(account);
  return {
    epoch: accountEpochKey.build(prefix, digest),
    entry: families[family].build(prefix, digest, hash("sha256", context, "base64url")),
    results: accountResultsKey.build(prefix, digest),
    names: accountNamesKey.build(prefix, digest),
  };
}

/**
 * Results stand under their account, so that one hash tag holds what a flush must reach. A reader knows the login name
 * only: it looks under that name and asks for the account behind it at the same time, and mostly the two are one.
 */
export function createRedisResultCache({ redis, prefix, keys }: RedisResultCacheDeps): SharedCache {
  const store = defineScript(redis, { name: "storeCachedResult", lua: storeLua, numberOfKeys: 4 });
  const generationKey = flushGenerationKey.build(prefix);

  const look = async (question: CacheQuestion, account: string, epochs: Map<string, string>) => {
    const { epoch, entry } = keysOf(prefix, question, account);
    const [current, text] = await redis.mget(epoch, entry);
    epochs.set(account, current ?? firstEpoch);
    return readEntry(entry, text ?? null, current ?? firstEpoch, keys);
  };
  /** Read before the generation: a flush changes the generation first and the epoch then, so no flush hides between. */
  const epochBehind = async (key: string, generation: string): Promise<string | undefined> => {
    const current = (await redis.get(key)) ?? firstEpoch;
    return ((await redis.get(generationKey)) ?? "") === generation ? current : undefined;
  };
  return {
    read: async (question) => {
      const { username } = question;
      const epochs = new Map<string, string>();
      const [own, account, generation] = await Promise.all([
        look(question, username, epochs),
        redis.get(loginNameKey.build(prefix, nameDigest(username))),
        redis.get(generationKey),
      ]);
      const isAlias = own === undefined && account !== null && account !== username;
      const result = isAlias ? await look(question, account, epochs) : own;
      return { result, epochs, generation: generation ?? "" };
    },
    write: async (question, { result, look: before, ttlMs }) => {
      const { account } = result.decision;
      const { epoch, entry, results, names } = keysOf(prefix, question, account);
      const expected = before.epochs.get(account) ?? (await epochBehind(epoch, before.generation));
      if (expected === undefined) return false;
      const value = `${expected}.${keys.seal(encodeResult(result), entry).toString("base64")}`;
      const isAlias = account !== question.username;
      const nameKey = isAlias ? loginNameKey.build(prefix, nameDigest(question.username)) : "";
      const indexed = [accountResultsKey.ttlSeconds, maxIndexed];
      const stored = await store(
        [epoch, entry, results, names],
        [expected, value, Math.ceil(ttlMs), nameKey, ...indexed],
      );
      if (stored !== 1) return false;
      if (isAlias) await redis.set(nameKey, account, "EX", loginNameKey.ttlSeconds);
      return true;
    },
  };
}
