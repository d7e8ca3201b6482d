import { AppError } from "@postern/shared/errors";
import type { RedisClient } from "@postern/shared/redis";
import type { BrowserSessionRecord, SessionChange } from "./browser-session-port.ts";
import { createSessionRecords, newToken, type SessionRecords, type SessionStoreDeps } from "./session-records-redis.ts";
import type { ListedSession, NewSession, SessionStore } from "./session-store.ts";

const rotationGraceMs = 10_000;
const changeAttempts = 8;
const maxListed = 100;

/** Everything that touches Redis says in one way that it could not. */
async function decided<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("REDIS_UNAVAILABLE", { detail: "browser sessions cannot be reached", cause: error });
  }
}

interface Parts {
  readonly redis: RedisClient;
  readonly records: SessionRecords;
}

/** Repeated while somebody else writes at the same time. @returns undefined for a session that has ended */
async function change(
  { redis, records }: Parts,
  uid: string,
  made: SessionChange & Partial<NewSession>,
): Promise<BrowserSessionRecord | undefined> {
  for (let attempt = 0; attempt < changeAttempts; attempt += 1) {
    const stored = await records.read(uid);
    if (stored === undefined) return undefined;
    const { forgets, ...more } = made;
    const all = { ...stored.record.authorizations, ...made.authorizations };
    const authorizations = Object.fromEntries(Object.entries(all).filter(([client]) => client !== forgets));
    const next = { ...stored.record, ...more, authorizations };
    if (made.sid !== undefined) await redis.set(records.pointerKey(made.sid), uid, "PXAT", next.exp * 1000);
    if (await records.replace(stored.version, next)) return next;
  }
  throw new AppError("OVERLOADED", { detail: "a session changes faster than it can be written" });
}

/** Ends it as it is at that moment, so that no client that it came to know a moment before is forgotten. */
async function drop({ redis, records }: Parts, uid: string): Promise<BrowserSessionRecord | undefined> {
  for (let attempt = 0; attempt < changeAttempts; attempt += 1) {
    const stored = await records.read(uid);
    if (stored === undefined) {
      // A record that no key opens any more is ended too.
      await redis.unlink(records.recordKey(uid));
      return undefined;
    }
    const { record, version } = stored;
    const removed = await records.remove(uid, version);
    if (removed === "changed") continue;
    await redis.zrem(records.indexKey(record.account), uid);
    await redis.unlink(records.pointerKey(record.sid));
    return removed === "removed" ? record : undefined;
  }
  throw new AppError("OVERLOADED", { detail: "a session changes faster than it can be ended" });
}

/** Those that live; what the index still names beside them is taken out of it. */
async function live(parts: Parts, account: string, nowMs: number): Promise<readonly ListedSession[]> {
  const { redis, records } = parts;
  const key = records.indexKey(account);
  await redis.zremrangebyscore(key, 0, nowMs);
  const uids = await redis.zrevrange(key, 0, maxListed - 1);
  const stored = await Promise.all(uids.map(async (uid) => ({ uid, found: await records.read(uid) })));
  const dead = stored.filter(({ found }) => found === undefined).map(({ uid }) => uid);
  if (dead.length > 0) await redis.zrem(key, ...dead);
  if (dead.length === maxListed) return live(parts, account, nowMs);
  return stored
    .flatMap(({ found }) => (found === undefined ? [] : [{ ...found.record, lastSeenMs: found.lastSeenMs }]))
    .toSorted((left, right) => right.iat - left.iat);
}

async function endAll(parts: Parts, account: string, nowMs: number): Promise<readonly BrowserSessionRecord[]> {
  const ended: BrowserSessionRecord[] = [];
  for (let found = await live(parts, account, nowMs); found.length > 0; found = await live(parts, account, nowMs)) {
    const dropped = await Promise.all(found.map(({ uid }) => drop(parts, uid)));
    ended.push(...dropped.filter((session) => session !== undefined));
  }
  return ended;
}

/** Sessions in Redis (design decision 11): a session whose record is gone is dead at the next request. */
export function createSessionStore(deps: SessionStoreDeps): SessionStore {
  const { redis, clock, lives } = deps;
  const records = createSessionRecords(deps);
  const parts: Parts = { redis, records };
  const endOf = (remember: boolean): number =>
    Math.floor((clock.now() + (remember ? lives.rememberMs : lives.absoluteMs)) / 1000);
  const retire = async (sid: string): Promise<void> =>
    void (await redis.pexpire(records.pointerKey(sid), rotationGraceMs, "LT"));

  const create = async (session: NewSession): Promise<BrowserSessionRecord> => {
    const times = { iat: Math.floor(clock.now() / 1000), exp: endOf(session.remember) };
    const record = { ...session, ...times, uid: newToken(), sid: newToken(), authorizations: {} };
    await records.insert(record);
    await records.index(record);
    // Last: until now the cookie stands for nothing.
    await redis.set(records.pointerKey(record.sid), record.uid, "PXAT", record.exp * 1000);
    return record;
  };

  const renew = async (uid: string, session: NewSession): Promise<BrowserSessionRecord | undefined> => {
    const old = await records.read(uid);
    const next = await change(parts, uid, { ...session, sid: newToken(), exp: endOf(session.remember) });
    if (next === undefined) return undefined;
    await records.index(next);
    if (old !== undefined) await retire(old.record.sid);
    return next;
  };

  const findBySid = async (sid: string): Promise<BrowserSessionRecord | undefined> => {
    const uid = await redis.get(records.pointerKey(sid));
    const stored = uid === null ? undefined : await records.read(uid);
    if (stored !== undefined) await records.seen(stored);
    return stored?.record;
  };

  return {
    create: (session) => decided(() => create(session)),
    renew: (uid, session) => decided(() => renew(uid, session)),
    findBySid: (sid) => decided(() => findBySid(sid)),
    findByUid: (uid) => decided(async () => (await records.read(uid))?.record),
    merge: (uid, made) => decided(async () => (await change(parts, uid, made)) !== undefined),
    retire: (sid) => decided(() => retire(sid)),
    end: (uid) => decided(() => drop(parts, uid)),
    endAll: (account) => decided(() => endAll(parts, account, clock.now())),
    list: (account) => decided(() => live(parts, account, clock.now())),
  };
}
