import { createSecretKey, type KeyObject } from "node:crypto";
import { errors, jwtVerify, SignJWT } from "jose";
import type { Secret } from "../crypto/secret.ts";

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

export function createCallerSigner({ secret, ttlSeconds }: AssertionKey): SignCaller {
  const key = keyOf(secret);
  return ({ method, name, scopes, clientIp, session }, audience) =>
    new SignJWT({ method, scopes: [...scopes], ip: clientIp, sid: session, ...(name !== undefined && { name }) })
      .setProtectedHeader({ alg: algorithm, typ: tokenType })
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime(`${ttlSeconds}s`)
      .sign(key);
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
  const options = {
    issuer,
    audience,
    algorithms: [algorithm],
    typ: tokenType,
    clockTolerance: clockToleranceSeconds,
    requiredClaims: ["exp", "iat"],
  };
  return async (assertion) => {
    try {
      const { payload } = await jwtVerify(assertion, key, options);
      const { method, name, scopes, ip, sid } = payload;
      if (!isMethod(method) || !isStringArray(scopes) || typeof ip !== "string" || typeof sid !== "string")
        return undefined;
      return { method, scopes, clientIp: ip, session: sid, ...(typeof name === "string" && { name }) };
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  };
}
