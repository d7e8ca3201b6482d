import { AppError } from "@postern/shared/platform/errors";
import { decidedInRedis, type RedisClient } from "@postern/shared/platform/redis";
import type { BrowserSessionRecord, SessionChange } from "./browser-session.ts";
import { createSessionRecords, newToken, type SessionRecords, type SessionStoreDeps } from "./session-records-redis.ts";

/** What a sign-in supplies; the store chooses ids and times. */
export type NewSession = Omit<BrowserSessionRecord, "uid" | "sid" | "iat" | "exp" | "authorizations" | "oidcState">;

export interface ListedSession extends BrowserSessionRecord {
  /** Milliseconds since the epoch, with a precision of one minute. */
  readonly lastSeenMs: number;
}

const rotationGraceMs = 10_000;
const changeAttempts = 8;
const maxListed = 100;

const decided = decidedInRedis("browser sessions cannot be reached");

interface Parts {
  readonly redis: RedisClient;
  readonly records: SessionRecords;
}

/** A new sign-in replaces what the backend said at the last one: a group that is gone must not stay. */
function withoutAccountData(record: BrowserSessionRecord): BrowserSessionRecord {
  const { lacksSubject: _1, displayName: _2, attributes: _3, groups: _4, groupDns: _5, ...kept } = record;
  return kept;
}

/** Retries while other requests write at the same time. @returns undefined for a session that has ended */
async function change(
  { records }: Parts,
  uid: string,
  changes: SessionChange & Partial<NewSession>,
  renews = false,
): Promise<BrowserSessionRecord | undefined> {
  for (let attempt = 0; attempt < changeAttempts; attempt += 1) {
    const stored = await records.read(uid);
    if (stored === undefined) return undefined;
    const { forgets, ...more } = changes;
    const all = { ...stored.record.authorizations, ...changes.authorizations };
    const authorizations = Object.fromEntries(Object.entries(all).filter(([client]) => client !== forgets));
    const next = { ...(renews ? withoutAccountData(stored.record) : stored.record), ...more, authorizations };
    if (changes.sid !== undefined) await records.point(changes.sid, next);
    if (await records.replace(stored.version, next)) return next;
  }
  throw new AppError("OVERLOADED", { detail: "the session was changed concurrently too often to be written" });
}

/** Ends the session in its latest version, so that a client that was added a moment before is not missed. */
async function drop({ redis, records }: Parts, uid: string): Promise<BrowserSessionRecord | undefined> {
  for (let attempt = 0; attempt < changeAttempts; attempt += 1) {
    const stored = await records.read(uid);
    if (stored === undefined) {
      // A record that no key can decrypt is deleted too.
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
  throw new AppError("OVERLOADED", { detail: "the session was changed concurrently too often to be ended" });
}

/** Reads the sessions; those that have ended are removed from the index. */
async function readListed(
  { redis, records }: Parts,
  key: string,
  uids: readonly string[],
): Promise<readonly ListedSession[]> {
  const stored = await Promise.all(uids.map(async (uid) => ({ uid, found: await records.read(uid) })));
  const dead = stored.filter(({ found }) => found === undefined).map(({ uid }) => uid);
  if (dead.length > 0) await redis.zrem(key, ...dead);
  return stored
    .flatMap(({ found }) => (found === undefined ? [] : [{ ...found.record, lastSeenMs: found.lastSeenMs }]))
    .toSorted((left, right) => right.iat - left.iat);
}

/** The newest sessions that have not ended. */
async function live(parts: Parts, account: string, nowMs: number): Promise<readonly ListedSession[]> {
  const { redis, records } = parts;
  const key = records.indexKey(account);
  await redis.zremrangebyscore(key, 0, nowMs);
  const uids = await redis.zrevrange(key, 0, maxListed - 1);
  const found = await readListed(parts, key, uids);
  return found.length === 0 && uids.length === maxListed ? live(parts, account, nowMs) : found;
}

async function liveAll(parts: Parts, account: string): Promise<readonly ListedSession[]> {
  const { redis, records } = parts;
  const key = records.indexKey(account);
  const uids = await redis.zrevrange(key, 0, -1);
  const found: ListedSession[] = [];
  for (let at = 0; at < uids.length; at += maxListed) {
    found.push(...(await readListed(parts, key, uids.slice(at, at + maxListed))));
  }
  return found;
}

async function endAll(parts: Parts, account: string, nowMs: number): Promise<readonly BrowserSessionRecord[]> {
  const ended: BrowserSessionRecord[] = [];
  for (let found = await live(parts, account, nowMs); found.length > 0; found = await live(parts, account, nowMs)) {
    const dropped = await Promise.all(found.map(({ uid }) => drop(parts, uid)));
    ended.push(...dropped.filter((session) => session !== undefined));
  }
  return ended;
}

async function findBySid({ redis, records }: Parts, sid: string): Promise<BrowserSessionRecord | undefined> {
  const uid = await redis.get(records.pointerKey(sid));
  const stored = uid === null ? undefined : await records.read(uid);
  if (stored !== undefined) await records.seen(stored);
  return stored?.record;
}

/**
 * Sessions in Redis (ADR 0005): once a record is deleted, the next request finds no session. Every method throws AppError
 * `REDIS_UNAVAILABLE` if Redis cannot answer.
 */
export function createSessionStore(deps: SessionStoreDeps) {
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
    // Written last: until then the cookie is not valid.
    await records.point(record.sid, record);
    return record;
  };

  const renew = async (uid: string, session: NewSession): Promise<BrowserSessionRecord | undefined> => {
    const old = await records.read(uid);
    const next = await change(parts, uid, { ...session, sid: newToken(), exp: endOf(session.remember) }, true);
    if (next === undefined) return undefined;
    await records.index(next);
    if (old !== undefined) await retire(old.record.sid);
    return next;
  };

  return {
    create: (session: NewSession): Promise<BrowserSessionRecord> => decided(() => create(session)),
    /** Called when the user has signed in again: renews the session with a new cookie value. @returns undefined if it has ended */
    renew: (uid: string, session: NewSession): Promise<BrowserSessionRecord | undefined> =>
      decided(() => renew(uid, session)),
    findBySid: (sid: string): Promise<BrowserSessionRecord | undefined> => decided(() => findBySid(parts, sid)),
    findByUid: (uid: string): Promise<BrowserSessionRecord | undefined> =>
      decided(async () => (await records.read(uid))?.record),
    /**
     * Merges the change into the current record; clients that other requests added in the meantime are kept.
     * @returns false for a session that has ended, which remains ended
     */
    merge: (uid: string, changes: SessionChange): Promise<boolean> =>
      decided(async () => (await change(parts, uid, changes)) !== undefined),
    /** Retires a replaced cookie value: it is valid for another 10 s, for requests in flight. */
    retire: (sid: string): Promise<void> => decided(() => retire(sid)),
    /** Ends one session. @returns its last version, with every client it had */
    end: (uid: string): Promise<BrowserSessionRecord | undefined> => decided(() => drop(parts, uid)),
    /** Ends every session of an account. @returns the sessions that were ended */
    endAll: (account: string): Promise<readonly BrowserSessionRecord[]> =>
      decided(() => endAll(parts, account, clock.now())),
    /** At most 100, the newest first. */
    list: (account: string): Promise<readonly ListedSession[]> => decided(() => live(parts, account, clock.now())),
    /** All of them: for what must miss none. */
    listAll: (account: string): Promise<readonly ListedSession[]> => decided(() => liveAll(parts, account)),
  };
}

export type SessionStore = ReturnType<typeof createSessionStore>;
/** Sessions as the OIDC provider sees them. */
export type BrowserSessions = Pick<SessionStore, "findBySid" | "findByUid" | "merge" | "retire">;
