import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import { readTokenHeader } from "../crypto/jws/token-header.ts";
import { verifySignature } from "../crypto/jws/verify-signature.ts";
import type { Secret } from "../crypto/secret.ts";
import { systemClock } from "../time/clock.ts";

/** The service that an assertion is for; no other service accepts it (ADR 0010). */
export type AssertionAudience = "admin" | "idp";

/** The certificate that a client presented in its TLS handshake, with the gateway or a trusted proxy. */
export interface ClientCertificate {
  /** DER in base64url. */
  readonly der: string;
  /** Whether a CA of the site issued it. */
  readonly isVerified: boolean;
}

/** An API caller that the gateway has authenticated. Basic is the administrative credential and needs no scopes. */
export interface Caller {
  readonly method: "basic" | "bearer" | "none";
  /**
   * The user name of Basic, or the token's client, with its subject where that differs. Absent if no authentication was required, or if the
   * gateway is older and does not send it. For audit records only: it grants nothing.
   */
  readonly name?: string | undefined;
  readonly scopes: readonly string[];
  readonly clientIp: string;
  readonly session: string;
  /** Absent without mutual TLS, and from older gateways. */
  readonly certificate?: ClientCertificate | undefined;
}

/** Carries the assertion; the gateway removes a header of this name from client requests. */
export const callerAssertionHeader = "x-service-caller-assertion";

const issuer = "postern-gateway";
const algorithm = "HS256";
const tokenType = "postern-caller+jwt";
/** Maximum difference between the clocks of two hosts; a rejected assertion would be a 401 for a legitimate caller. */
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
 * Signs in the event loop: every forwarded request has an assertion, and WebCrypto's round trip through a thread cost a quarter of the
 * gateway's time (docs/performance.md).
 */
export function createCallerSigner({ secret, ttlSeconds }: AssertionKey): SignCaller {
  const key = keyOf(secret);
  const header = encoded({ alg: algorithm, typ: tokenType });
  return async (caller, audience) => {
    const iat = Math.floor(systemClock.now() / 1000);
    const { method, name, scopes, clientIp: ip, session: sid, certificate: cert } = caller;
    const claims = { method, name, scopes, ip, sid, cert, iss: issuer, aud: audience, iat, exp: iat + ttlSeconds };
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

function certificateOf(value: unknown): ClientCertificate | undefined {
  if (typeof value !== "object" || value === null || !("der" in value) || !("isVerified" in value)) return undefined;
  const { der, isVerified } = value;
  return typeof der === "string" && typeof isVerified === "boolean" ? { der, isVerified } : undefined;
}

/** Members that older gateways do not send. */
function optionalMembers(name: unknown, cert: unknown): Pick<Caller, "name" | "certificate"> {
  const certificate = certificateOf(cert);
  return { ...(typeof name === "string" && { name }), ...(certificate !== undefined && { certificate }) };
}

/** Resolves to undefined if the assertion was not signed by the gateway for this audience, or has expired. */
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
    const { aud, iat, method, name, scopes, ip, sid, cert } = result.payload;
    if (aud !== audience || iat === undefined) return undefined;
    if (!isMethod(method) || !isStringArray(scopes) || typeof ip !== "string" || typeof sid !== "string")
      return undefined;
    return { method, scopes, clientIp: ip, session: sid, ...optionalMembers(name, cert) };
  };
}
