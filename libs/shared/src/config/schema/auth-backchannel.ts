import { duration, entries, flag, secret, section, text, texts } from "./fields.ts";

const longestTokenLife = 24 * 60 * 60 * 1000;

const OidcBearer = section("Access tokens of callers.", {
  enabled: flag(false, { description: "Accept access tokens of this identity provider." }),
  issuer: text("", {
    description: "Issuer of the tokens; while it is empty every access token is undecidable (503).",
    form: "http-url",
  }),
  audience: text("", { description: "Audience of the tokens; empty takes <identifier>:backchannel." }),
  jwks_file: text("", { description: "File with the public keys, a JWK set; empty asks jwks_url." }),
  jwks_url: text("", {
    description: "Address of the public keys; empty takes /oidc/jwks of runtime.services.idp.url.",
    form: "http-url",
  }),
  jwks_refresh: duration("5m", { description: "Time between two readings of the keys.", minimum: 1000 }),
  cache_ttl: duration("60s", {
    description: "Time that a token counts as verified in a gateway; 0 verifies each time.",
    maximum: 3_600_000,
  }),
  revocation_ttl: duration("5s", {
    description: "Longest time that a revoked token still opens anything.",
    minimum: 100,
    maximum: 60_000,
  }),
  clock_skew: duration("10s", { description: "Leeway in a token's times.", maximum: 60_000 }),
});

const JwtUser = section("A user of the JWT endpoints.", {
  username: text("", { description: "User name.", maxLength: 255, reload: "live" }),
  password: secret({
    description: "Hash of the password: Argon2, bcrypt, SHA-crypt or salted SHA.",
    reload: "live",
  }),
  roles: texts([], {
    description: "Roles: authenticate, security, admin, or names that hooks ask for.",
    reload: "live",
  }),
});

const Jwt = section("Tokens of POST /api/v1/jwt/token.", {
  enabled: flag(false, { description: "Issue these tokens, and accept them from callers." }),
  secret_key: secret({ description: "Signing key, the same for gateway and admin.", minLength: 32 }),
  token_expiry: duration("1h", {
    description: "Life of a token.",
    minimum: 1000,
    maximum: longestTokenLife,
    reload: "live",
  }),
  refresh_token_expiry: duration("24h", { description: "Life of a refresh token.", minimum: 1000, reload: "live" }),
  directory_roles: texts([], {
    description: "Roles of users whom a directory knows and users does not name; without any they get no token (403).",
    reload: "live",
  }),
  users: entries("Users, before the directories are asked.", JwtUser),
});

/** Callers of the back channel. */
export const Backchannel = section("Who may ask.", {
  basic_auth: section("Basic credentials of callers.", {
    enabled: flag(false, { description: "Accept these credentials.", reload: "live" }),
    username: text("", { description: "User name.", reload: "live" }),
    password: secret({ description: "Password.", minLength: 16, reload: "live" }),
  }),
  oidc_bearer: OidcBearer,
  jwt: Jwt,
});
