import { type Static, Type } from "typebox";
import { compileCheck } from "../bus/schema-check.ts";

const Id = Type.String({ minLength: 1, maxLength: 256 });
const Time = Type.Integer({ minimum: 0, description: "seconds since the epoch" });

/** What every access token of ours says (RFC 9068 with the contract's `token_type`); more members may follow. */
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

/** What an access token of `POST /api/v1/jwt/token` says. */
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

/** What callers are told of a verified token, whichever endpoint made it. */
export interface VerifiedToken {
  /** Which rule of scopes holds: a service token's roles open families of routes, without the base scope. */
  readonly kind: "access" | "service";
  readonly subject: string;
  /** What the claims of `usernameClaims` name; undefined when they name nobody or the rules have none. */
  readonly username?: string | undefined;
  readonly clientId: string;
  /** `<identifier>:<word>`; a role of a service token reads as the scope of that name. */
  readonly scopes: readonly string[];
  readonly expiresAtMs: number;
  readonly revocation: RevocationFacts;
}

/** What a look at the revocations needs of a token. */
export interface RevocationFacts {
  /** Names the token, or its family, in the denylist. */
  readonly id: string;
  /** `subjectDigest` of issuer and subject. */
  readonly subjectDigest: string;
  /** `kindDigest`, of issuers that tell users from clients. */
  readonly kindDigest?: string;
  readonly epoch: number;
}
