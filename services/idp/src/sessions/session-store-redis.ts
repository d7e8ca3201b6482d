import { randomBytes } from "node:crypto";
import { digestOf, type KeyRing } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import {
  accountSessionsKey,
  decidedInRedis,
  type RedisClient,
  sessionIdKey,
  sessionKey,
} from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import type { IsRefused } from "../domains/refused-accounts.ts";
import {
  type BrowserSessionRecord,
  parseSessionRecord,
  type SessionChange,
  withoutAccountData,
} from "./browser-session.ts";
import { sessionScripts } from "./session-scripts.ts";

/** What a sign-in supplies; the store chooses ids and times. */
export type NewSession = Omit<BrowserSessionRecord, "uid" | "sid" | "iat" | "exp" | "authorizations" | "oidcState">;

export interface ListedSession extends BrowserSessionRecord {
  /** Milliseconds since the epoch, with a precision of one minute. */
  readonly lastSeenMs: number;
}

interface SessionStoreDeps {
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly keys: KeyRing;
  /** The clock that all replicas share. */
  readonly clock: Clock;
  readonly isRefused: IsRefused;
  /** Lifetimes in milliseconds (`identity.session.*`). */
  readonly lives: {
    readonly absoluteMs: number;
    readonly idleMs: number;
    /** Absolute and idle lifetime of a remembered session; with 0, remembering is not offered. */
    readonly rememberMs: number;
  };
}

const rotationGraceMs = 10_000;
const touchEveryMs = 60_000;
const changeAttempts = 8;
const maxListed = 100;

const decided = decidedInRedis("browser sessions cannot be reached");
const newToken = (): string => randomBytes(32).toString("base64url");
const digest = (text: string): string => digestOf(text).toString("base64url");

/**
 * Sessions in Redis (ADR 0005): the sealed record under its uid, a pointer for each cookie value, the index of the account. Once a record is
 * deleted, the next request finds no session. Every method throws AppError `REDIS_UNAVAILABLE` if Redis cannot answer.
 */
export class SessionStore {
  readonly #deps: SessionStoreDeps;
  readonly #scripts: ReturnType<typeof sessionScripts>;
  readonly #nowMs = (): number => this.#deps.clock.now();
  readonly #recordKey = (uid: string): string => sessionKey.build(this.#deps.keyPrefix, uid);
  readonly #indexKey = (account: string): string => accountSessionsKey.build(this.#deps.keyPrefix, digest(account));
  readonly #pointerKey = (sid: string): string => sessionIdKey.build(this.#deps.keyPrefix, digest(sid));

  constructor(deps: SessionStoreDeps) {
    this.#deps = deps;
    this.#scripts = sessionScripts(deps.redis);
  }

  create(session: NewSession): Promise<BrowserSessionRecord> {
    return decided(async () => {
      const times = { iat: Math.floor(this.#nowMs() / 1000), exp: this.#endOf(session.remember) };
      const record = { ...session, ...times, uid: newToken(), sid: newToken(), authorizations: {} };
      const args = { sealed: this.#seal(record), nowMs: this.#nowMs(), lifeMs: this.#lifeMs(record) };
      await this.#scripts.insert({ recordKey: this.#recordKey(record.uid) }, args);
      await this.#index(record);
      // Written last: until then the cookie is not valid.
      await this.#point(record.sid, record);
      return record;
    });
  }

  /** Called when the user has signed in again: renews the session with a new cookie value. @returns undefined if it has ended */
  renew(uid: string, session: NewSession): Promise<BrowserSessionRecord | undefined> {
    return decided(async () => {
      const old = await this.#read(uid);
      const next = await this.#change(uid, { ...session, sid: newToken(), exp: this.#endOf(session.remember) }, true);
      if (next === undefined) return undefined;
      await this.#index(next);
      if (old !== undefined) await this.#retire(old.record.sid);
      return next;
    });
  }

  findBySid(sid: string): Promise<BrowserSessionRecord | undefined> {
    return decided(async () => {
      const uid = await this.#deps.redis.get(this.#pointerKey(sid));
      const stored = uid === null ? undefined : await this.#read(uid);
      if (stored === undefined) return undefined;
      // Suspending an account ends its sessions, except those of a sign-in under way, or while this service is away.
      if (await this.#deps.isRefused(stored.record.account)) return undefined;
      const { record, lastSeenMs } = stored;
      const nowMs = this.#nowMs();
      // Notes that the session was used, at most once a minute.
      if (nowMs - lastSeenMs >= touchEveryMs)
        await this.#scripts.touch({ recordKey: this.#recordKey(record.uid) }, { nowMs, lifeMs: this.#lifeMs(record) });
      return record;
    });
  }

  findByUid(uid: string): Promise<BrowserSessionRecord | undefined> {
    return decided(async () => {
      const record = (await this.#read(uid))?.record;
      return record === undefined || (await this.#deps.isRefused(record.account)) ? undefined : record;
    });
  }

  /** The account of a session, also of one that is refused. */
  accountOf(uid: string): Promise<string | undefined> {
    return decided(async () => (await this.#read(uid))?.record.account);
  }

  /**
   * Merges the change into the current record; clients that other requests added in the meantime are kept.
   * @returns false for a session that has ended, which remains ended
   */
  merge(uid: string, changes: SessionChange): Promise<boolean> {
    return decided(async () => (await this.#change(uid, changes)) !== undefined);
  }

  /** Retires a replaced cookie value: it is valid for another 10 s, for requests in flight. */
  retire(sid: string): Promise<void> {
    return decided(() => this.#retire(sid));
  }

  /** Ends one session. @returns its last version, with every client it had */
  end(uid: string): Promise<BrowserSessionRecord | undefined> {
    return decided(() => this.#drop(uid));
  }

  /** Ends every session of an account. @returns the sessions that were ended */
  endAll(account: string): Promise<readonly BrowserSessionRecord[]> {
    return decided(async () => {
      const nowMs = this.#nowMs();
      const ended: BrowserSessionRecord[] = [];
      for (let found = await this.#live(account, nowMs); found.length > 0; found = await this.#live(account, nowMs)) {
        const dropped = await Promise.all(found.map(({ uid }) => this.#drop(uid)));
        ended.push(...dropped.filter((session) => session !== undefined));
      }
      return ended;
    });
  }

  /** At most 100, the newest first. */
  list(account: string): Promise<readonly ListedSession[]> {
    return decided(() => this.#live(account, this.#nowMs()));
  }

  /** All of them: for what must miss none. */
  listAll(account: string): Promise<readonly ListedSession[]> {
    return decided(async () => {
      const key = this.#indexKey(account);
      const uids = await this.#deps.redis.zrevrange(key, 0, -1);
      const found: ListedSession[] = [];
      for (let at = 0; at < uids.length; at += maxListed) {
        found.push(...(await this.#readListed(key, uids.slice(at, at + maxListed))));
      }
      return found;
    });
  }

  #endOf(remember: boolean): number {
    const { rememberMs, absoluteMs } = this.#deps.lives;
    return Math.floor((this.#nowMs() + (remember ? rememberMs : absoluteMs)) / 1000);
  }

  /** Relative, so that a key never lives shorter or longer because clocks differ. */
  #leftMs({ exp }: Pick<BrowserSessionRecord, "exp">): number {
    return Math.max(1, exp * 1000 - this.#nowMs());
  }

  #lifeMs(record: BrowserSessionRecord): number {
    const { rememberMs, idleMs } = this.#deps.lives;
    return Math.min(this.#leftMs(record), record.remember ? rememberMs : idleMs);
  }

  #seal(record: BrowserSessionRecord): string {
    return this.#deps.keys.seal(JSON.stringify(record), this.#recordKey(record.uid)).toString("base64url");
  }

  async #read(uid: string) {
    const key = this.#recordKey(uid);
    const { v, n, s } = await this.#deps.redis.hgetall(key);
    if (v === undefined || n === undefined) return undefined;
    const opened = this.#deps.keys.open(Buffer.from(v, "base64url"), key);
    const record = opened === undefined ? undefined : parseSessionRecord(opened.toString("utf8"));
    if (record === undefined || record.exp * 1000 <= this.#nowMs()) return undefined;
    return { record, version: n, lastSeenMs: Number(s ?? 0) };
  }

  async #index({ account, exp, uid }: BrowserSessionRecord): Promise<void> {
    const args = { endMs: exp * 1000, lifeMs: this.#leftMs({ exp }), uid };
    await this.#scripts.index({ indexKey: this.#indexKey(account) }, args);
  }

  /** Makes `sid` a cookie value of the session. */
  async #point(sid: string, session: Pick<BrowserSessionRecord, "uid" | "exp">): Promise<void> {
    await this.#deps.redis.set(this.#pointerKey(sid), session.uid, "PX", this.#leftMs(session));
  }

  async #retire(sid: string): Promise<void> {
    await this.#deps.redis.pexpire(this.#pointerKey(sid), rotationGraceMs, "LT");
  }

  /** Retries while other requests write at the same time. @returns undefined for a session that has ended */
  async #change(
    uid: string,
    changes: SessionChange & Partial<NewSession>,
    renews = false,
  ): Promise<BrowserSessionRecord | undefined> {
    for (let attempt = 0; attempt < changeAttempts; attempt += 1) {
      const stored = await this.#read(uid);
      if (stored === undefined) return undefined;
      const { forgets, ...more } = changes;
      const all = { ...stored.record.authorizations, ...changes.authorizations };
      const authorizations = Object.fromEntries(Object.entries(all).filter(([client]) => client !== forgets));
      const next = { ...(renews ? withoutAccountData(stored.record) : stored.record), ...more, authorizations };
      if (changes.sid !== undefined) await this.#point(changes.sid, next);
      const args = { expectedVersion: stored.version, sealed: this.#seal(next), lifeMs: this.#lifeMs(next) };
      if ((await this.#scripts.replace({ recordKey: this.#recordKey(next.uid) }, args)) === 1) return next;
    }
    throw new AppError("OVERLOADED", { detail: "the session was changed concurrently too often to be written" });
  }

  /** Ends the session in its latest version, so that a client that was added a moment before is not missed. */
  async #drop(uid: string): Promise<BrowserSessionRecord | undefined> {
    const recordKey = this.#recordKey(uid);
    for (let attempt = 0; attempt < changeAttempts; attempt += 1) {
      const stored = await this.#read(uid);
      if (stored === undefined) {
        // A record that no key can decrypt is deleted too.
        await this.#deps.redis.unlink(recordKey);
        return undefined;
      }
      const { record, version } = stored;
      const removed = await this.#scripts.remove({ recordKey }, { expectedVersion: version });
      // `gone`: another request ended the session.
      if (removed !== "removed" && removed !== "gone") continue;
      await this.#deps.redis.zrem(this.#indexKey(record.account), uid);
      await this.#deps.redis.unlink(this.#pointerKey(record.sid));
      return removed === "removed" ? record : undefined;
    }
    throw new AppError("OVERLOADED", { detail: "the session was changed concurrently too often to be ended" });
  }

  /** Reads the sessions; those that have ended are removed from the index. */
  async #readListed(key: string, uids: readonly string[]): Promise<readonly ListedSession[]> {
    const stored = await Promise.all(uids.map(async (uid) => ({ uid, found: await this.#read(uid) })));
    const dead = stored.filter(({ found }) => found === undefined).map(({ uid }) => uid);
    if (dead.length > 0) await this.#deps.redis.zrem(key, ...dead);
    return stored
      .flatMap(({ found }) => (found === undefined ? [] : [{ ...found.record, lastSeenMs: found.lastSeenMs }]))
      .toSorted((left, right) => right.iat - left.iat);
  }

  /** The newest sessions that have not ended. */
  async #live(account: string, nowMs: number): Promise<readonly ListedSession[]> {
    const key = this.#indexKey(account);
    await this.#deps.redis.zremrangebyscore(key, 0, nowMs);
    const uids = await this.#deps.redis.zrevrange(key, 0, maxListed - 1);
    const found = await this.#readListed(key, uids);
    return found.length === 0 && uids.length === maxListed ? this.#live(account, nowMs) : found;
  }
}

/** Sessions as the OIDC provider sees them. */
export type BrowserSessions = Pick<SessionStore, "findBySid" | "findByUid" | "merge" | "retire">;
