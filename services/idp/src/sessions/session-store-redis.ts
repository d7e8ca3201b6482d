import { randomBytes } from "node:crypto";
import { digestOf, type KeyRing } from "@postern/shared/crypto";
import { AppError } from "@postern/shared/errors";
import { accountSessionsKey, defineScript, type RedisClient, sessionIdKey, sessionKey } from "@postern/shared/redis";
import type { Clock } from "@postern/shared/time";
import type { BrowserSessionRecord, SessionChange } from "./browser-session-port.ts";
import { parseSessionRecord } from "./parse-session-record.ts";
import type { ListedSession, NewSession, SessionLives, SessionStore } from "./session-store.ts";

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

/** KEYS: index of the account. ARGV: end in ms since the epoch, uid. It lives as long as its longest member. */
const indexScript = `
redis.call("ZADD", KEYS[1], ARGV[1], ARGV[2])
if redis.call("PEXPIREAT", KEYS[1], ARGV[1], "NX") == 1 then return 1 end
return redis.call("PEXPIREAT", KEYS[1], ARGV[1], "GT")
`;

/** KEYS: record. ARGV: version that was read, sealed record, life in ms. An ended session is not there: it stays ended. */
const replaceScript = `
if redis.call("HGET", KEYS[1], "n") ~= ARGV[1] then return 0 end
redis.call("HSET", KEYS[1], "v", ARGV[2], "n", ARGV[1] + 1)
redis.call("PEXPIRE", KEYS[1], ARGV[3])
return 1
`;

/** KEYS: record. ARGV: now, life in ms. */
const touchScript = `
if redis.call("EXISTS", KEYS[1]) == 0 then return 0 end
redis.call("HSET", KEYS[1], "s", ARGV[1])
return redis.call("PEXPIRE", KEYS[1], ARGV[2])
`;

const rotationGraceMs = 10_000;
const touchEveryMs = 60_000;
const mergeAttempts = 8;
const maxListed = 100;

interface Stored {
  readonly record: BrowserSessionRecord;
  readonly version: string;
  readonly lastSeenMs: number;
}

const digest = (text: string): string => digestOf(text).toString("base64url");
const token = (): string => randomBytes(32).toString("base64url");

function unavailable(cause: unknown): AppError {
  return new AppError("REDIS_UNAVAILABLE", { detail: "browser sessions cannot be reached", cause });
}

/** Sessions in Redis: the record under its uid, one pointer for each cookie value, an index by account. */
export function createSessionStore({ redis, prefix, keys, clock, lives }: SessionStoreDeps): SessionStore {
  const replace = defineScript(redis, { name: "posternSessionReplace", lua: replaceScript, numberOfKeys: 1 });
  const touch = defineScript(redis, { name: "posternSessionTouch", lua: touchScript, numberOfKeys: 1 });
  const insert = defineScript(redis, { name: "posternSessionCreate", lua: createScript, numberOfKeys: 1 });
  const index = defineScript(redis, { name: "posternSessionIndex", lua: indexScript, numberOfKeys: 1 });
  const recordKey = (uid: string): string => sessionKey.build(prefix, uid);
  const pointerKey = (sid: string): string => sessionIdKey.build(prefix, digest(sid));
  const indexKey = (account: string): string => accountSessionsKey.build(prefix, digest(account));
  const seal = (record: BrowserSessionRecord): string =>
    keys.seal(JSON.stringify(record), recordKey(record.uid)).toString("base64url");
  const lifeMs = ({ exp, remember }: BrowserSessionRecord): number =>
    Math.max(1, Math.min(exp * 1000 - clock.now(), remember ? lives.rememberMs : lives.idleMs));

  const endOf = (remember: boolean): number =>
    Math.floor((clock.now() + (remember ? lives.rememberMs : lives.absoluteMs)) / 1000);

  const read = async (uid: string): Promise<Stored | undefined> => {
    const { v, n, s } = await redis.hgetall(recordKey(uid));
    if (v === undefined || n === undefined) return undefined;
    const opened = keys.open(Buffer.from(v, "base64url"), recordKey(uid));
    const record = opened === undefined ? undefined : parseSessionRecord(opened.toString("utf8"));
    if (record === undefined || record.exp * 1000 <= clock.now()) return undefined;
    return { record, version: n, lastSeenMs: Number(s ?? 0) };
  };

  const seen = async ({ record, lastSeenMs }: Stored): Promise<void> => {
    if (clock.now() - lastSeenMs < touchEveryMs) return;
    await touch([recordKey(record.uid)], [clock.now(), lifeMs(record)]);
  };

  const write = async (record: BrowserSessionRecord): Promise<void> => {
    const { uid, sid, account, exp } = record;
    await insert([recordKey(uid)], [seal(record), clock.now(), lifeMs(record)]);
    await index([indexKey(account)], [exp * 1000, uid]);
    // Last: until now the cookie stands for nothing.
    await redis.set(pointerKey(sid), uid, "PXAT", exp * 1000);
  };

  /** Repeated while somebody else writes at the same time. @returns undefined for a session that has ended */
  const change = async (
    uid: string,
    made: SessionChange & Partial<NewSession>,
  ): Promise<BrowserSessionRecord | undefined> => {
    for (let attempt = 0; attempt < mergeAttempts; attempt += 1) {
      const stored = await read(uid);
      if (stored === undefined) return undefined;
      const next = { ...stored.record, ...made };
      if (made.sid !== undefined) await redis.set(pointerKey(made.sid), uid, "PXAT", next.exp * 1000);
      if ((await replace([recordKey(uid)], [stored.version, seal(next), lifeMs(next)])) === 1) return next;
    }
    throw new AppError("OVERLOADED", { detail: "a session changes faster than it can be written" });
  };

  const renewed = async (uid: string, session: NewSession): Promise<BrowserSessionRecord | undefined> => {
    const old = await read(uid);
    const sid = token();
    const next = await change(uid, { ...session, sid, exp: endOf(session.remember) });
    if (next === undefined) return undefined;
    await index([indexKey(next.account)], [next.exp * 1000, uid]);
    if (old !== undefined) await redis.pexpire(pointerKey(old.record.sid), rotationGraceMs, "LT");
    return next;
  };

  const drop = async ({ uid, account, sid }: BrowserSessionRecord): Promise<boolean> => {
    const ended = await redis.unlink(recordKey(uid));
    await redis.zrem(indexKey(account), uid);
    await redis.unlink(pointerKey(sid));
    return ended === 1;
  };

  const live = async (account: string): Promise<readonly ListedSession[]> => {
    await redis.zremrangebyscore(indexKey(account), 0, clock.now());
    const uids = await redis.zrevrange(indexKey(account), 0, maxListed - 1);
    const stored = await Promise.all(uids.map(async (uid) => ({ uid, found: await read(uid) })));
    const dead = stored.filter(({ found }) => found === undefined).map(({ uid }) => uid);
    if (dead.length > 0) await redis.zrem(indexKey(account), ...dead);
    if (dead.length === maxListed) return live(account);
    return stored
      .flatMap(({ found }) => (found === undefined ? [] : [{ ...found.record, lastSeenMs: found.lastSeenMs }]))
      .sort((left, right) => right.iat - left.iat);
  };

  const decided = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw error instanceof AppError ? error : unavailable(error);
    }
  };

  return {
    create: (session: NewSession) =>
      decided(async () => {
        const times = { iat: Math.floor(clock.now() / 1000), exp: endOf(session.remember) };
        const record = { ...session, ...times, uid: token(), sid: token(), authorizations: {} };
        await write(record);
        return record;
      }),
    renew: (uid, session) => decided(() => renewed(uid, session)),
    findBySid: (sid) =>
      decided(async () => {
        const uid = await redis.get(pointerKey(sid));
        const stored = uid === null ? undefined : await read(uid);
        if (stored !== undefined) await seen(stored);
        return stored?.record;
      }),
    findByUid: (uid) => decided(async () => (await read(uid))?.record),
    merge: (uid, made) => decided(async () => void (await change(uid, made))),
    retire: (sid) => decided(async () => void (await redis.pexpire(pointerKey(sid), rotationGraceMs, "LT"))),
    end: (uid) =>
      decided(async () => {
        const stored = await read(uid);
        return stored === undefined ? (await redis.unlink(recordKey(uid))) === 1 : drop(stored.record);
      }),
    endAll: (account) =>
      decided(async () => {
        const ended: BrowserSessionRecord[] = [];
        for (let found = await live(account); found.length > 0; found = await live(account)) {
          await Promise.all(found.map(drop));
          ended.push(...found);
        }
        return ended;
      }),
    list: (account) => decided(() => live(account)),
  };
}
