import { type Static, Type } from "typebox";
import { compileCheck } from "../../platform/bus/schema-check.ts";

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
