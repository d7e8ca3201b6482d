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
import {
  maxSearches,
  type OperatorSession,
  type OperatorSessions,
  type SignInAttempt,
  type SignInAttempts,
  sessionIdleMs,
} from "./operator-session.ts";

export interface OperatorStoreDeps {
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly keys: KeyRing;
  readonly clock: Clock;
}

const Session = Type.Object({
  account: Type.String(),
  role: Type.Enum([...consoleRoles]),
  domain: Type.Optional(Type.String()),
  provedMs: Type.Number(),
  endMs: Type.Number(),
  searches: Type.Optional(Type.Array(Type.String())),
});
const Attempt = Type.Object({
  state: Type.String(),
  nonce: Type.String(),
  verifier: Type.String(),
  next: Type.String(),
  isProof: Type.Boolean(),
  replaces: Type.String(),
  invitation: Type.Optional(Type.String()),
});

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

/** With lists that the schema may change. */
const writable = ({ searches, domain, ...session }: OperatorSession): Static<typeof Session> => ({
  ...session,
  ...(domain !== undefined && { domain }),
  ...(searches !== undefined && { searches: [...searches] }),
});

const ofSessions = decidedInRedis("sessions of the console cannot be reached");

export function createOperatorSessions(deps: OperatorStoreDeps): OperatorSessions {
  const { redis, clock } = deps;
  const { keyOf, seal, open } = createSealed(deps, consoleSessionKey, Session);
  const opened = (cookie: string, stored: string | null): OperatorSession | undefined => {
    const session = open(cookie, stored);
    return session === undefined || session.endMs <= clock.now() ? undefined : session;
  };
  return {
    create: (session: OperatorSession) =>
      ofSessions(async () => {
        const cookie = newCookie();
        await redis.set(keyOf(cookie), seal(cookie, writable(session)), "PX", sessionIdleMs);
        return cookie;
      }),
    find: (cookie) => ofSessions(async () => opened(cookie, await redis.getex(keyOf(cookie), "PX", sessionIdleMs))),
    peek: (cookie) => ofSessions(async () => opened(cookie, await redis.get(keyOf(cookie)))),
    remember: (cookie, search) =>
      ofSessions(async () => {
        const session = opened(cookie, await redis.get(keyOf(cookie)));
        if (session === undefined) return;
        const others = (session.searches ?? []).filter((one) => one !== search);
        const searches = [search, ...others].slice(0, maxSearches);
        // A session that has ended in the meantime stays ended.
        await redis.set(keyOf(cookie), seal(cookie, writable({ ...session, searches })), "PX", sessionIdleMs, "XX");
      }),
    end: (cookie) => ofSessions(async () => void (await redis.unlink(keyOf(cookie)))),
  };
}

const ofSignIns = decidedInRedis("sign-ins to the console cannot be reached");

export function createSignInAttempts(deps: OperatorStoreDeps): SignInAttempts {
  const { redis } = deps;
  const { keyOf, seal, open } = createSealed(deps, consoleSignInKey, Attempt);
  return {
    keep: (attempt: SignInAttempt) =>
      ofSignIns(async () => {
        const cookie = newCookie();
        await redis.set(keyOf(cookie), seal(cookie, attempt), "EX", consoleSignInKey.ttlSeconds);
        return cookie;
      }),
    take: (cookie) => ofSignIns(async () => open(cookie, await redis.getdel(keyOf(cookie)))),
  };
}
