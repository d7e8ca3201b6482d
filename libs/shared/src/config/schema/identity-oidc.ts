import { choice, duration, entries, flag, integer, secret, section, text, texts } from "./fields.ts";
import { CustomScope, OidcClient, tokenTypes } from "./identity-oidc-client.ts";

const longestTokenLife = 24 * 60 * 60 * 1000;
const longestLife = 3650 * 24 * 60 * 60 * 1000;

const SigningKey = section("A signing key of the site's own; it signs before the generated ones of its algorithm.", {
  id: text("", { description: "Its kid; letters, digits, - and _.", maxLength: 64 }),
  key: secret({ description: "Private key, PEM." }),
  key_file: text("", { description: "File of the private key, PEM." }),
  algorithm: choice(["RS256", "PS256", "ES256", "EdDSA"], "RS256", { description: "What it signs." }),
  active: flag(true, { description: "Signs; off: it only verifies." }),
});

const keys = {
  signing_keys: entries("Keys of the site's own.", SigningKey),
  auto_key_rotation: flag(true, {
    description: "Make new keys on schedule; without it those of the first start stay.",
  }),
  key_rotation_interval: duration("168h", {
    description: "Age at which a key is replaced; below an hour only in developer mode.",
    minimum: 1000,
    maximum: longestLife,
  }),
  key_publish_delay: duration("1h", {
    description: "Time for which a new key is published before it signs: longer than verifiers keep a key set.",
    minimum: 1000,
  }),
  key_max_age: duration("192h", {
    description: "Age at which a key leaves the key set; never before the last token that it signed is dead.",
    maximum: longestLife,
  }),
};

const tokens = {
  access_token_type: choice(tokenTypes, "opaque", { description: "Form of users' access tokens." }),
  tokens: section("Lives of tokens.", {
    default_access_token_lifetime: duration("1h", {
      description: "Life of an access token and an ID token.",
      minimum: 1000,
      maximum: longestTokenLife,
      reload: "live",
    }),
    default_refresh_token_lifetime: duration("720h", {
      description: "Life of a refresh token.",
      minimum: 1000,
      maximum: longestLife,
      reload: "live",
    }),
    revoke_refresh_token: flag(true, { description: "A new refresh token at each use.", reload: "live" }),
    refresh_token_grace: duration("30s", {
      description:
        "How long a used refresh token gives the same successor again, for parallel requests; after that its use revokes the family.",
      maximum: 30_000,
      reload: "live",
    }),
    token_endpoint_allow_get: flag(true, { description: "Serve GET /oidc/token too.", reload: "live" }),
  }),
};

const told = {
  scopes_supported: texts(["openid", "profile", "email", "groups", "offline_access"], {
    description: "Scopes that discovery names, beside the custom ones.",
  }),
  response_types_supported: texts(["code"], { description: "Only code is served." }),
  subject_types_supported: texts(["public"], { description: "Only public is served." }),
  id_token_signing_alg_values_supported: texts(["RS256", "ES256", "PS256", "EdDSA"], {
    description: "Signatures; each has a key.",
  }),
  token_endpoint_auth_methods_supported: texts(
    ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"],
    { description: "How clients may authenticate." },
  ),
  code_challenge_methods_supported: texts(["S256"], { description: "Only S256 is served." }),
  claims_supported: texts([], { description: "Claims that discovery names beside those of the scopes." }),
};

/** OpenID Connect (behaviour reference §2.1). */
export const IdentityOidc = section("OpenID Connect.", {
  enabled: flag(false, { description: "Serve OpenID Connect." }),
  issuer: text("", { description: "Issuer: the address under which browsers see the gateway.", form: "http-url" }),
  ...keys,
  ...tokens,
  ...told,
  clients: entries("Clients. Changed ones are taken at a reload.", OidcClient),
  custom_scopes: entries("Scopes of the site's own.", CustomScope),
  consent: section("Consent of users.", {
    ttl: duration("720h", { description: "Life of a remembered consent.", maximum: longestLife, reload: "live" }),
    mode: choice(["all_or_nothing", "granular_optional"], "all_or_nothing", {
      description: "Whether a user can leave scopes out.",
      reload: "live",
    }),
  }),
  logout: section("Logout of clients.", {
    front_channel_supported: flag(true, { description: "Open the clients' logout pages." }),
    front_channel_session_supported: flag(false, { description: "Tell them the session." }),
    back_channel_supported: flag(true, { description: "Tell clients of logouts." }),
    back_channel_session_supported: flag(true, { description: "Tell them the session." }),
    back_channel_timeout: duration("5s", {
      description:
        "How long a client may take to answer a logout; its notice is another replica's after three times that.",
      minimum: 100,
      maximum: 60_000,
      reload: "live",
    }),
    back_channel_retry_delay: duration("1s", {
      description: "Wait after the first failure to tell a client; it doubles each time. It is tried for a day.",
      minimum: 100,
      maximum: 3_600_000,
      reload: "live",
    }),
    back_channel_retry_max_delay: duration("1m", {
      description: "The longest of these waits.",
      minimum: 100,
      maximum: 3_600_000,
      reload: "live",
    }),
  }),
  device_flow: section("Devices without a browser.", {
    code_expiry: duration("10m", { description: "Life of a code.", minimum: 10_000, reload: "live" }),
    polling_interval: integer(5, {
      description: "Seconds between two questions.",
      minimum: 1,
      maximum: 60,
      reload: "live",
    }),
    user_code_length: integer(8, { description: "Letters of a user code.", minimum: 6, maximum: 16 }),
  }),
});
