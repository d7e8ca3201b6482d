import { randomBytes } from "node:crypto";
import { digestOf, type KeyRing } from "@postern/shared/platform/crypto";
import {
  accountSessionsKey,
  defineScript,
  type RedisClient,
  sessionIdKey,
  sessionKey,
} from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import { type BrowserSessionRecord, parseSessionRecord } from "./browser-session.ts";
import indexSessionLua from "./scripts/index-session.lua?raw";
import insertSessionLua from "./scripts/insert-session.lua?raw";
import removeSessionLua from "./scripts/remove-session.lua?raw";
import replaceSessionLua from "./scripts/replace-session.lua?raw";
import touchSessionLua from "./scripts/touch-session.lua?raw";

/** Lifetimes in milliseconds (`identity.session.*`). */
export interface SessionLives {
  readonly absoluteMs: number;
  readonly idleMs: number;
  /** Absolute and idle lifetime of a remembered session; with 0, remembering is not offered. */
  readonly rememberMs: number;
}

const indexSession = {
  name: "indexSession",
  lua: indexSessionLua,
  keys: ["indexKey"],
  args: ["endMs", "lifeMs", "uid"],
} as const;
const insertSession = {
  name: "insertSession",
  lua: insertSessionLua,
  keys: ["recordKey"],
  args: ["sealed", "nowMs", "lifeMs"],
} as const;
const removeSession = {
  name: "removeSession",
  lua: removeSessionLua,
  keys: ["recordKey"],
  args: ["expectedVersion"],
} as const;
const replaceSession = {
  name: "replaceSession",
  lua: replaceSessionLua,
  keys: ["recordKey"],
  args: ["expectedVersion", "sealed", "lifeMs"],
} as const;
const touchSession = {
  name: "touchSession",
  lua: touchSessionLua,
  keys: ["recordKey"],
  args: ["nowMs", "lifeMs"],
} as const;

export interface SessionStoreDeps {
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly keys: KeyRing;
  /** The clock that all replicas share. */
  readonly clock: Clock;
  readonly lives: SessionLives;
}

const touchEveryMs = 60_000;

export interface StoredSession {
  readonly record: BrowserSessionRecord;
  readonly version: string;
  readonly lastSeenMs: number;
}

export const newToken = (): string => randomBytes(32).toString("base64url");

const digest = (text: string): string => digestOf(text).toString("base64url");

/** The keys of one session: the sealed record under its uid, a pointer for each cookie value, the index of the account. */
export function createSessionRecords({ redis, keyPrefix, keys, clock, lives }: SessionStoreDeps) {
  const insert = defineScript(redis, insertSession);
  const replace = defineScript(redis, replaceSession);
  const remove = defineScript(redis, removeSession);
  const touch = defineScript(redis, touchSession);
  const index = defineScript(redis, indexSession);
  const recordKey = (uid: string): string => sessionKey.build(keyPrefix, uid);
  const indexKey = (account: string): string => accountSessionsKey.build(keyPrefix, digest(account));
  const seal = (record: BrowserSessionRecord): string =>
    keys.seal(JSON.stringify(record), recordKey(record.uid)).toString("base64url");
  // Relative, so that a key never lives shorter or longer because clocks differ.
  const leftMs = ({ exp }: Pick<BrowserSessionRecord, "exp">): number => Math.max(1, exp * 1000 - clock.now());
  const lifeMs = (record: BrowserSessionRecord): number =>
    Math.min(leftMs(record), record.remember ? lives.rememberMs : lives.idleMs);
  const pointerKey = (sid: string): string => sessionIdKey.build(keyPrefix, digest(sid));
  return {
    recordKey,
    indexKey,
    pointerKey,
    read: async (uid: string): Promise<StoredSession | undefined> => {
      const { v, n, s } = await redis.hgetall(recordKey(uid));
      if (v === undefined || n === undefined) return undefined;
      const opened = keys.open(Buffer.from(v, "base64url"), recordKey(uid));
      const record = opened === undefined ? undefined : parseSessionRecord(opened.toString("utf8"));
      if (record === undefined || record.exp * 1000 <= clock.now()) return undefined;
      return { record, version: n, lastSeenMs: Number(s ?? 0) };
    },
    insert: async (record: BrowserSessionRecord): Promise<void> => {
      const args = { sealed: seal(record), nowMs: clock.now(), lifeMs: lifeMs(record) };
      await insert({ recordKey: recordKey(record.uid) }, args);
    },
    /** Writes the record only if the stored version is still this one. */
    replace: async (version: string, next: BrowserSessionRecord): Promise<boolean> => {
      const args = { expectedVersion: version, sealed: seal(next), lifeMs: lifeMs(next) };
      return (await replace({ recordKey: recordKey(next.uid) }, args)) === 1;
    },
    /** Removes the record only if the stored version is still this one. `gone`: another request ended the session. */
    remove: async (uid: string, version: string): Promise<"removed" | "gone" | "changed"> => {
      const result = await remove({ recordKey: recordKey(uid) }, { expectedVersion: version });
      return result === "removed" || result === "gone" ? result : "changed";
    },
    index: async ({ account, exp, uid }: BrowserSessionRecord): Promise<void> => {
      await index({ indexKey: indexKey(account) }, { endMs: exp * 1000, lifeMs: leftMs({ exp }), uid });
    },
    /** Makes `sid` a cookie value of the session. */
    point: async (sid: string, session: Pick<BrowserSessionRecord, "uid" | "exp">): Promise<void> => {
      await redis.set(pointerKey(sid), session.uid, "PX", leftMs(session));
    },
    /** Notes that the session was used, at most once a minute. */
    seen: async ({ record, lastSeenMs }: StoredSession): Promise<void> => {
      if (clock.now() - lastSeenMs < touchEveryMs) return;
      await touch({ recordKey: recordKey(record.uid) }, { nowMs: clock.now(), lifeMs: lifeMs(record) });
    },
  };
}

export type SessionRecords = ReturnType<typeof createSessionRecords>;
