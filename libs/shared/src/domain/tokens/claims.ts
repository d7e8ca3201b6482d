import { hash } from "node:crypto";
import { type Static, Type } from "typebox";
import { compileCheck } from "../../platform/bus/schema-check.ts";

/** Why a token is invalid. For tests and internal counters; the API caller does not see it. */
type InvalidReason =
  | "too_large"
  | "malformed"
  | "algorithm"
  | "unknown_key"
  | "signature"
  | "issuer"
  | "expired"
  | "not_yet_valid"
  | "claims"
  | "revoked";

/**
 * The result of verifying a token. `unavailable`: a temporary failure, so the token must not be rejected as invalid.
 */
export type TokenVerdict =
  | { readonly outcome: "ok"; readonly token: VerifiedToken }
  | { readonly outcome: "invalid"; readonly reason: InvalidReason }
  /** Issued by us and live, but not an access token for this audience, or one that requires a proof of possession (`isBound`). */
  | { readonly outcome: "wrong_token_type"; readonly isBound?: true }
  | { readonly outcome: "unavailable"; readonly cause: "keys" | "revocation" };

export function invalid(reason: InvalidReason): TokenVerdict {
  return { outcome: "invalid", reason };
}

/** The subject of a token: a user, or a client that acts for itself and may have the same name as a user. */
export interface TokenSubject {
  readonly kind: "user" | "client";
  readonly id: string;
}

/** An issuer's subject as part of a Redis key: a digest, so that no user name is stored in plain text. */
export function subjectDigest(issuer: string, subject: string): string {
  return hash("sha256", `${issuer}\n${subject}`, "base64url");
}

/**
 * Includes the kind of subject, so that a client's name is not confused with a user's. No issuer begins with the name of a kind.
 */
export function kindDigest(issuer: string, { kind, id }: TokenSubject): string {
  return hash("sha256", `${kind} ${issuer}\n${id}`, "base64url");
}

const Id = Type.String({ minLength: 1, maxLength: 256 });
const Time = Type.Integer({ minimum: 0, description: "seconds since the epoch" });

/** Claims of every access token of this issuer (RFC 9068 and `token_type`); more members may follow. */
export const AccessTokenClaims = Type.Object({
  iss: Type.String({ minLength: 1 }),
  sub: Id,
  aud: Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 32 })]),
  exp: Time,
  iat: Time,
  nbf: Type.Optional(Time),
  jti: Type.String({ minLength: 1, maxLength: 128, pattern: "^[A-Za-z0-9_.~-]+$" }),
  scope: Type.Optional(Type.String({ maxLength: 4096, description: "scopes, separated by spaces" })),
  client_id: Id,
  token_type: Type.Literal("access_token"),
  epoch: Type.Optional(Type.Integer({ minimum: 0, description: "the subject's token epoch when this one was made" })),
});
export type AccessTokenClaims = Static<typeof AccessTokenClaims>;

/** Claims of an access token from `POST /api/v1/jwt/token`. */
export const ServiceTokenClaims = Type.Object({
  iss: Type.String({ minLength: 1 }),
  sub: Id,
  aud: Type.String(),
  exp: Time,
  iat: Time,
  jti: Id,
  family: Type.String({ minLength: 1, maxLength: 64, pattern: "^[A-Za-z0-9_-]+$" }),
  token_use: Type.Literal("access"),
  roles: Type.Array(Type.String(), { maxItems: 64 }),
  epoch: Type.Integer({ minimum: 0 }),
});
export type ServiceTokenClaims = Static<typeof ServiceTokenClaims>;

export const accessTokenCheck = compileCheck(AccessTokenClaims);
export const serviceTokenCheck = compileCheck(ServiceTokenClaims);

/** A verified token, independent of the endpoint that issued it. */
export interface VerifiedToken {
  /** Which scope rule applies: the roles of a service token grant route families without the base scope. */
  readonly kind: "access" | "service";
  readonly subject: string;
  /** The user in the claims of `usernameClaims`; undefined if they contain no user or the rules have no such claims. */
  readonly username?: string | undefined;
  readonly clientId: string;
  /** `<identifier>:<word>`; a role of a service token counts as the scope of that name. */
  readonly scopes: readonly string[];
  readonly expiresAtMs: number;
  /**
   * When the user signed in from whom the token descends, in seconds since the epoch; refreshing does not change it. If the token does not
   * say so, a later time: its grant's or its own. Absent for service tokens.
   */
  readonly signedInAt?: number | undefined;
  readonly revocation: RevocationFacts;
}

/** The parts of a token that a revocation check needs. */
export interface RevocationFacts {
  /** Identifies the token, or its family, in the denylist. */
  readonly id: string;
  /** `subjectDigest` of issuer and subject. */
  readonly subjectDigest: string;
  /** `kindDigest`, for issuers that distinguish users from clients. */
  readonly kindDigest?: string;
  readonly epoch: number;
}
