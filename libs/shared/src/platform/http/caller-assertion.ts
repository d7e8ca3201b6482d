import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { JWTPayload } from "jose";
import { readTokenHeader } from "../crypto/jws/token-header.ts";
import { type SignatureResult, verifySignature } from "../crypto/jws/verify-signature.ts";
import type { Secret } from "../crypto/secret.ts";
import { type Clock, systemClock } from "../time/clock.ts";

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
   * The user name of Basic, or the token's client, with its subject where that differs. Absent if no authentication was required.
   * For audit records only: it grants nothing.
   */
  readonly name?: string | undefined;
  readonly scopes: readonly string[];
  /**
   * The gateway has admitted a caller without credentials, because developer mode is on and no authentication of API callers is configured.
   * Absent otherwise.
   */
  readonly isOpen?: true | undefined;
  /** The only domains whose accounts the caller may reach, as names are compared by them. Absent: all. Empty: none. */
  readonly domains?: readonly string[] | undefined;
  /** The domain that the caller means by a name without one. Absent: that of the site. */
  readonly defaultDomain?: string | undefined;
  readonly clientIp: string;
  readonly session: string;
  /** Absent without mutual TLS. */
  readonly certificate?: ClientCertificate | undefined;
}

/** Carries the assertion; the gateway removes a header of this name from client requests. */
export const callerAssertionHeader = "x-service-caller-assertion";

const issuer = "postern-gateway";
const algorithm = "HS256";
const tokenType = "postern-caller+jwt";
/** A service of a version that knows no limits would ignore the domains of a caller: it rejects this type (401). */
const limitedTokenType = "postern-limited-caller+jwt";
const tokenTypes: ReadonlySet<string> = new Set([tokenType, limitedTokenType]);
/** Maximum difference between the clocks of two hosts; a rejected assertion would be a 401 for a legitimate caller. */
const clockToleranceSeconds = 60;

/** The clock that both services have measured; undefined without one. */
export type SharedClock = (Clock & { readonly isMeasured: () => boolean }) | undefined;

export interface AssertionKey {
  readonly secret: Secret;
  readonly ttlSeconds: number;
}

function sharedSeconds(clock: SharedClock): number | undefined {
  return clock?.isMeasured() === true ? Math.floor(clock.now() / 1000) : undefined;
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
 * gateway's time (docs/contributing/performance.md).
 */
export function createCallerSigner({ secret, ttlSeconds }: AssertionKey, clock?: SharedClock): SignCaller {
  const key = keyOf(secret);
  const header = encoded({ alg: algorithm, typ: tokenType });
  const limitedHeader = encoded({ alg: algorithm, typ: limitedTokenType });
  return async (caller, audience) => {
    const iat = Math.floor(systemClock.now() / 1000);
    const { method, name, scopes, isOpen: open, domains, clientIp: ip, session: sid, certificate: cert } = caller;
    const times = { iat, exp: iat + ttlSeconds, shared: sharedSeconds(clock) };
    const limits = { domains, default_domain: caller.defaultDomain };
    const claims = { method, name, scopes, open, ...limits, ip, sid, cert, iss: issuer, aud: audience, ...times };
    const signed = `${domains === undefined ? header : limitedHeader}.${encoded(claims)}`;
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

/** Members that not every caller has. */
function optionalMembers(
  payload: JWTPayload,
  isLimited: boolean,
): Pick<Caller, "name" | "isOpen" | "domains" | "defaultDomain" | "certificate"> {
  const { name, open, domains, default_domain: defaultDomain, cert } = payload;
  const certificate = certificateOf(cert);
  return {
    ...(typeof name === "string" && { name }),
    ...(open === true && { isOpen: true }),
    // A limit that cannot be read permits nothing.
    ...((isLimited || domains !== undefined) && { domains: isStringArray(domains) ? domains : [] }),
    ...(typeof defaultDomain === "string" && { defaultDomain }),
    ...(certificate !== undefined && { certificate }),
  };
}

/** Whether an assertion is recent by the shared clock, although the wall clock of its sender or of this host says that it has expired. */
function isRecent({ iat, exp, shared }: JWTPayload, now: number | undefined): boolean {
  if (now === undefined || iat === undefined || exp === undefined || typeof shared !== "number") return false;
  return Math.abs(now - shared) <= exp - iat + clockToleranceSeconds;
}

/**
 * Resolves to undefined if the assertion was not signed by the gateway for this audience, or has expired. If both have measured the clock
 * of Redis, the wall clock of either may be set by any time (ADR 0010).
 */
export function createCallerVerifier(
  { secret }: Pick<AssertionKey, "secret">,
  audience: AssertionAudience,
  clock?: SharedClock,
): VerifyCaller {
  const key = keyOf(secret);
  const verified = (assertion: string): SignatureResult => {
    const rules = { key, algorithm, issuer, skewSeconds: clockToleranceSeconds } as const;
    const result = verifySignature(assertion, { ...rules, nowMs: systemClock.now() });
    if (!("reason" in result) || result.reason !== "expired") return result;
    const signed = verifySignature(assertion, { ...rules, nowMs: 0 });
    return "payload" in signed && isRecent(signed.payload, sharedSeconds(clock)) ? signed : result;
  };
  return async (assertion) => {
    const { alg, typ } = readTokenHeader(assertion) ?? {};
    if (alg !== algorithm || typ === undefined || !tokenTypes.has(typ)) return undefined;
    const result = verified(assertion);
    if ("reason" in result) return undefined;
    const { aud, iat, method, scopes, ip, sid } = result.payload;
    if (aud !== audience || iat === undefined) return undefined;
    if (!isMethod(method) || !isStringArray(scopes) || typeof ip !== "string" || typeof sid !== "string")
      return undefined;
    return { method, scopes, clientIp: ip, session: sid, ...optionalMembers(result.payload, typ === limitedTokenType) };
  };
}

/** Reads the caller of a request that came through the gateway; undefined for any other request. */
export type ReadCaller = (headers: IncomingHttpHeaders) => Promise<Caller | undefined>;

/** Only the gateway's signature counts; a plain header proves nothing (ADR 0010). */
export function createCallerReader(verify: VerifyCaller): ReadCaller {
  return async (headers) => {
    const assertion = headers[callerAssertionHeader];
    return typeof assertion === "string" ? verify(assertion) : undefined;
  };
}

/**
 * Basic is the administrative credential; Bearer needs one of the scopes (docs/reference/api/management.yaml). Whether developer mode admits callers without
 * credentials is decided by the gateway alone, which knows the configured authentication.
 */
export function mayUse(caller: Caller, anyScope: readonly string[]): boolean {
  switch (caller.method) {
    case "basic":
      return true;
    case "bearer":
      return anyScope.length === 0 || anyScope.some((scope) => caller.scopes.includes(scope));
    case "none":
      return caller.isOpen === true;
  }
}
