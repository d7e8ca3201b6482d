import { randomBytes } from "node:crypto";
import { digestOf, type KeyRing } from "@postern/shared/crypto";
import { accountSessionsKey, defineScript, type RedisClient, sessionIdKey, sessionKey } from "@postern/shared/redis";
import type { Clock } from "@postern/shared/time";
import type { BrowserSessionRecord } from "./browser-session-port.ts";
import { parseSessionRecord } from "./parse-session-record.ts";
import type { SessionLives } from "./session-store.ts";

export interface SessionStoreDeps {
  readonly redis: RedisClient;
  readonly prefix: string;
  readonly keys: KeyRing;
  readonly clock: Clock;
  readonly lives: SessionLives;
}

/** KEYS: record. ARGV: sealed record, now, life in ms. */
const createScript = `
redis.call("HSET", KEYS[1], "v", ARGV[1], "n", 1, "s", ARGV[2])
return redis.call("PEXPIRE", KEYS[1], ARGV[3])
`;

/** KEYS: record. ARGV: version that was read, sealed record, life in ms. An ended session is not there: it stays ended. */
const replaceScript = `
if redis.call("HGET", KEYS[1], "n") ~= ARGV[1] then return 0 end
redis.call("HSET", KEYS[1], "v", ARGV[2], "n", ARGV[1] + 1)
redis.call("PEXPIRE", KEYS[1], ARGV[3])
return 1
`;

/** KEYS: record. ARGV: version that was read. What was written since is not dropped unseen. */
const removeScript = `
local version = redis.call("HGET", KEYS[1], "n")
if not version then return 1 end
if version ~= ARGV[1] then return 0 end
redis.call("UNLINK", KEYS[1])
return 2
`;

/** KEYS: record. ARGV: now, life in ms. */
const touchScript = `
if redis.call("EXISTS", KEYS[1]) == 0 then return 0 end
redis.call("HSET", KEYS[1], "s", ARGV[1])
return redis.call("PEXPIRE", KEYS[1], ARGV[2])
`;

/** KEYS: index of the account. ARGV: end in ms since the epoch, uid. It lives as long as its longest member. */
const indexScript = `
redis.call("ZADD", KEYS[1], ARGV[1], ARGV[2])
if redis.call("PEXPIREAT", KEYS[1], ARGV[1], "NX") == 1 then return 1 end
return redis.call("PEXPIREAT", KEYS[1], ARGV[1], "GT")
`;

const touchEveryMs = 60_000;

export interface StoredSession {
  readonly record: BrowserSessionRecord;
  readonly version: string;
  readonly lastSeenMs: number;
}

export const newToken = (): string => randomBytes(32).toString("base64url");

const digest = (text: string): string => digestOf(text).toString("base64url");

/** One session's keys: the record, sealed, under its uid; a pointer for each cookie value; the account's index. */
export interface SessionRecords {
  recordKey(uid: string): string;
  pointerKey(sid: string): string;
  indexKey(account: string): string;
  read(uid: string): Promise<StoredSession | undefined>;
  insert(record: BrowserSessionRecord): Promise<void>;
  /** Only while the stored version is this one. */
  replace(version: string, next: BrowserSessionRecord): Promise<boolean>;
  /** Only while the stored version is this one; `gone`: somebody else ended it. */
  remove(uid: string, version: string): Promise<"removed" | "gone" | "changed">;
  index(record: BrowserSessionRecord): Promise<void>;
  /** Somebody used it: at most once a minute that is written. */
  seen(stored: StoredSession): Promise<void>;
}

export function createSessionRecords({ redis, prefix, keys, clock, lives }: SessionStoreDeps): SessionRecords {
  const insert = defineScript(redis, { name: "posternSessionCreate", lua: createScript, numberOfKeys: 1 });
  const replace = defineScript(redis, { name: "posternSessionReplace", lua: replaceScript, numberOfKeys: 1 });
  const remove = defineScript(redis, { name: "posternSessionRemove", lua: removeScript, numberOfKeys: 1 });
  const touch = defineScript(redis, { name: "posternSessionTouch", lua: touchScript, numberOfKeys: 1 });
  const index = defineScript(redis, { name: "posternSessionIndex", lua: indexScript, numberOfKeys: 1 });
  const recordKey = (uid: string): string => sessionKey.build(prefix, uid);
  const indexKey = (account: string): string => accountSessionsKey.build(prefix, digest(account));
  const seal = (record: BrowserSessionRecord): string =>
    keys.seal(JSON.stringify(record), recordKey(record.uid)).toString("base64url");
  const lifeMs = ({ exp, remember }: BrowserSessionRecord): number =>
    Math.max(1, Math.min(exp * 1000 - clock.now(), remember ? lives.rememberMs : lives.idleMs));
  return {
    recordKey,
    indexKey,
    pointerKey: (sid) => sessionIdKey.build(prefix, digest(sid)),
    read: async (uid) => {
      const { v, n, s } = await redis.hgetall(recordKey(uid));
      if (v === undefined || n === undefined) return undefined;
      const opened = keys.open(Buffer.from(v, "base64url"), recordKey(uid));
      const record = opened === undefined ? undefined : parseSessionRecord(opened.toString("utf8"));
      if (record === undefined || record.exp * 1000 <= clock.now()) return undefined;
      return { record, version: n, lastSeenMs: Number(s ?? 0) };
    },
    insert: async (record) => void (await insert([recordKey(record.uid)], [seal(record), clock.now(), lifeMs(record)])),
    replace: async (version, next) => (await replace([recordKey(next.uid)], [version, seal(next), lifeMs(next)])) === 1,
    remove: async (uid, version) => {
      const result = await remove([recordKey(uid)], [version]);
      return result === 2 ? "removed" : result === 1 ? "gone" : "changed";
    },
    index: async ({ account, exp, uid }) => void (await index([indexKey(account)], [exp * 1000, uid])),
    seen: async ({ record, lastSeenMs }) => {
      if (clock.now() - lastSeenMs < touchEveryMs) return;
      await touch([recordKey(record.uid)], [clock.now(), lifeMs(record)]);
    },
  };
}
