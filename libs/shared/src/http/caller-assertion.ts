import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import type { Secret } from "../crypto/secret.ts";
import { systemClock } from "../time/clock.ts";
import { readTokenHeader } from "../tokens/token-header.ts";
import { verifySignature } from "../tokens/verify-signature.ts";

/** The service that an assertion is for: nobody else may use it (design decision 10). */
export type AssertionAudience = "admin" | "idp";

/** The caller that the gateway let in. Basic is the administrative credential: it has no scopes, and needs none. */
export interface Caller {
  readonly method: "basic" | "bearer" | "none";
  /**
   * Whose credential it was: the user name of Basic, or the token's client, with its subject where that is another.
   * Absent where nobody asked, and from a gateway that tells none. For records only: it opens nothing.
   */
  readonly name?: string | undefined;
  readonly scopes: readonly string[];
  readonly clientIp: string;
  readonly session: string;
}

/** Carries the assertion; a plain header of a client by this name is dropped at the gateway. */
export const callerAssertionHeader = "x-service-caller-assertion";

const issuer = "postern-gateway";
const algorithm = "HS256";
const tokenType = "postern-caller+jwt";
/** Clocks of two hosts may differ by this much; an assertion that is refused would be a right caller's 401. */
const clockToleranceSeconds = 60;

export interface AssertionKey {
  readonly secret: Secret;
  readonly ttlSeconds: number;
}

function keyOf(secret: Secret): KeyObject {
  return createSecretKey(Buffer.from(secret.reveal(), "utf8"));
}

export type SignCaller = (caller: Caller, audience: AssertionAudience) => Promise<string>;

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/**
 * Signs in the event loop: each forwarded request has an assertion, and WebCrypto's way through a thread cost a quarter
 * of the gateway's time for it (ADR 0070).
 */
export function createCallerSigner({ secret, ttlSeconds }: AssertionKey): SignCaller {
  const key = keyOf(secret);
  const header = encoded({ alg: algorithm, typ: tokenType });
  return async (caller, audience) => {
    const iat = Math.floor(systemClock.now() / 1000);
    const { method, name, scopes, clientIp: ip, session: sid } = caller;
    const claims = { method, name, scopes, ip, sid, iss: issuer, aud: audience, iat, exp: iat + ttlSeconds };
    const signed = `${header}.${encoded(claims)}`;
    return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
  };
}

export type VerifyCaller = (assertion: string) => Promise<Caller | undefined>;

function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isMethod(value: unknown): value is Caller["method"] {
  return value === "basic" || value === "bearer" || value === "none";
}

/** Resolves to undefined when the assertion is none of the gateway's for this audience, or too old. */
export function createCallerVerifier(
  { secret }: Pick<AssertionKey, "secret">,
  audience: AssertionAudience,
): VerifyCaller {
  const key = keyOf(secret);
  return async (assertion) => {
    const header = readTokenHeader(assertion);
    if (header?.alg !== algorithm || header.typ !== tokenType) return undefined;
    const rules = { key, algorithm, issuer, nowMs: systemClock.now(), skewSeconds: clockToleranceSeconds } as const;
    const result = verifySignature(assertion, rules);
    if ("reason" in result) return undefined;
    const { aud, iat, method, name, scopes, ip, sid } = result.payload;
    if (aud !== audience || iat === undefined) return undefined;
    if (!isMethod(method) || !isStringArray(scopes) || typeof ip !== "string" || typeof sid !== "string")
      return undefined;
    return { method, scopes, clientIp: ip, session: sid, ...(typeof name === "string" && { name }) };
  };
}
