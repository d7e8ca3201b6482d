import { randomBytes } from "node:crypto";
import { consoleRoles } from "@postern/shared/contracts";
import { digestOf, type KeyRing } from "@postern/shared/platform/crypto";
import { compileCheck } from "@postern/shared/platform/http";
import {
  consoleSessionKey,
  consoleSignInKey,
  decidedInRedis,
  type KeyFamily,
  type RedisClient,
} from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import { type Static, type TSchema, Type } from "typebox";
import { maxSearches, sessionIdleMs } from "./operator-session.ts";

export interface OperatorStoreDeps {
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly keys: KeyRing;
  readonly clock: Clock;
}

/** The session of one operator's browser. Times in milliseconds since the epoch. */
const Session = Type.Object({
  account: Type.String(),
  /** The role at the sign-in. It counts only while no engine can determine the role. */
  role: Type.Enum([...consoleRoles]),
  /** See `OperatorRight`; likewise. */
  domain: Type.Optional(Type.String()),
  /** When the operator last signed in with the second factor. */
  provedMs: Type.Number(),
  endMs: Type.Number(),
  /** The last searches, the latest first. Absent before the first. */
  searches: Type.Optional(Type.Array(Type.String())),
});

export type OperatorSession = Static<typeof Session>;

/** A sign-in that the identity provider has not answered yet. */
const Attempt = Type.Object({
  state: Type.String(),
  nonce: Type.String(),
  verifier: Type.String(),
  /** Where the operator wanted to go: a path of the console. */
  next: Type.String(),
  /** The operator is to enter password and second factor again. */
  isProof: Type.Boolean(),
  /** Cookie of the session that the new one replaces; empty if there is none. */
  replaces: Type.String(),
  /** Code as typed; absent without one, and from earlier versions. */
  invitation: Type.Optional(Type.String()),
});

export type SignInAttempt = Static<typeof Attempt>;

const newCookie = (): string => randomBytes(32).toString("base64url");

/** Encrypted values under the digest of a cookie, so that neither can be read in Redis. */
function createSealed<Schema extends TSchema>(
  { keys, keyPrefix }: OperatorStoreDeps,
  family: KeyFamily<[cookieDigest: string]>,
  schema: Schema,
) {
  const check = compileCheck(schema);
  const keyOf = (cookie: string): string => family.build(keyPrefix, digestOf(cookie).toString("base64url"));
  return {
    keyOf,
    seal: (cookie: string, value: Static<Schema>): string =>
      keys.seal(JSON.stringify(value), keyOf(cookie)).toString("base64url"),
    open: (cookie: string, stored: string | null): Static<Schema> | undefined => {
      const opened = stored === null ? undefined : keys.open(Buffer.from(stored, "base64url"), keyOf(cookie));
      const value: unknown = opened === undefined ? undefined : JSON.parse(opened.toString("utf8"));
      return check.accepts(value) ? value : undefined;
    },
  };
}

const ofSessions = decidedInRedis("sessions of the console cannot be reached");

/** Sessions are shared by all replicas. Every method throws AppError REDIS_UNAVAILABLE. */
export function createOperatorSessions(deps: OperatorStoreDeps) {
  const { redis, clock } = deps;
  const { keyOf, seal, open } = createSealed(deps, consoleSessionKey, Session);
  const opened = (cookie: string, stored: string | null): OperatorSession | undefined => {
    const session = open(cookie, stored);
    return session === undefined || session.endMs <= clock.now() ? undefined : session;
  };
  return {
    /** @returns the value of the cookie */
    create: (session: OperatorSession): Promise<string> =>
      ofSessions(async () => {
        const cookie = newCookie();
        await redis.set(keyOf(cookie), seal(cookie, session), "PX", sessionIdleMs);
        return cookie;
      }),
    /** Prolongs the session. Undefined if it has ended. */
    find: (cookie: string): Promise<OperatorSession | undefined> =>
      ofSessions(async () => opened(cookie, await redis.getex(keyOf(cookie), "PX", sessionIdleMs))),
    /** Does not prolong it. */
    peek: (cookie: string): Promise<OperatorSession | undefined> =>
      ofSessions(async () => opened(cookie, await redis.get(keyOf(cookie)))),
    /** Adds a search to those of a session that exists. Of two that are added at the same time, one may be lost. */
    remember: (cookie: string, search: string): Promise<void> =>
      ofSessions(async () => {
        const session = opened(cookie, await redis.get(keyOf(cookie)));
        if (session === undefined) return;
        const others = (session.searches ?? []).filter((one) => one !== search);
        const searches = [search, ...others].slice(0, maxSearches);
        // A session that has ended in the meantime stays ended.
        await redis.set(keyOf(cookie), seal(cookie, { ...session, searches }), "PX", sessionIdleMs, "XX");
      }),
    end: (cookie: string): Promise<void> => ofSessions(async () => void (await redis.unlink(keyOf(cookie)))),
  };
}

export type OperatorSessions = ReturnType<typeof createOperatorSessions>;

const ofSignIns = decidedInRedis("sign-ins to the console cannot be reached");

/** Both methods throw AppError REDIS_UNAVAILABLE. */
export function createSignInAttempts(deps: OperatorStoreDeps) {
  const { redis } = deps;
  const { keyOf, seal, open } = createSealed(deps, consoleSignInKey, Attempt);
  return {
    /** @returns the value of the cookie that binds it to the browser */
    keep: (attempt: SignInAttempt): Promise<string> =>
      ofSignIns(async () => {
        const cookie = newCookie();
        await redis.set(keyOf(cookie), seal(cookie, attempt), "EX", consoleSignInKey.ttlSeconds);
        return cookie;
      }),
    /** Once. */
    take: (cookie: string): Promise<SignInAttempt | undefined> =>
      ofSignIns(async () => open(cookie, await redis.getdel(keyOf(cookie)))),
  };
}
