import { boolean, choice, duration, entries, integer, secret, section, string, stringList } from "./fields.ts";
import { ClaimMapping, CustomScope, OidcClient, tokenTypes } from "./identity-oidc-client.ts";
import { MailRegistration } from "./identity-oidc-mail.ts";
import { DynamicRegistration } from "./identity-oidc-registration.ts";

const longestTokenLife = 24 * 60 * 60 * 1000;
const longestLife = 3650 * 24 * 60 * 60 * 1000;

const SigningKey = section("A signing key of the site. It is used before the generated keys of its algorithm.", {
  id: string("", { description: "Key ID (`kid`): letters, digits, - and _.", maxLength: 64 }),
  key: secret({ description: "Private key, in PEM format." }),
  key_file: string("", { description: "Path of the PEM file with the private key." }),
  algorithm: choice(["RS256", "PS256", "ES256", "EdDSA"], "RS256", { description: "Signature algorithm of the key." }),
  active: boolean(true, { description: "Whether the key signs. If false, it only verifies." }),
});

const keys = {
  signing_keys: entries("Signing keys of the site.", SigningKey),
  auto_key_rotation: boolean(true, {
    description:
      "Whether new keys are generated on schedule. If false, the keys of the first start are used permanently.",
  }),
  key_rotation_interval: duration("168h", {
    description: "Age at which a generated key is replaced. Values below one hour are accepted in developer mode only.",
    minimum: 1000,
    maximum: longestLife,
  }),
  key_publish_delay: duration("1h", {
    description:
      "Time for which a new key is published before it signs. It must be longer than verifiers cache the key set.",
    minimum: 1000,
  }),
  key_max_age: duration("192h", {
    description:
      "Age at which a key is removed from the key set. It stays until the last token that it signed has expired.",
    maximum: longestLife,
  }),
};

const tokens = {
  access_token_type: choice(tokenTypes, "opaque", { description: "Format of the access tokens of users." }),
  tokens: section("Lifetimes of tokens.", {
    default_access_token_lifetime: duration("1h", {
      description: "Lifetime of access tokens and ID tokens.",
      minimum: 1000,
      maximum: longestTokenLife,
      reload: "live",
    }),
    default_refresh_token_lifetime: duration("720h", {
      description: "Lifetime of refresh tokens.",
      minimum: 1000,
      maximum: longestLife,
      reload: "live",
    }),
    revoke_refresh_token: boolean(true, {
      description: "Whether each use of a refresh token replaces it with a new one.",
      reload: "live",
    }),
    refresh_token_grace: duration("30s", {
      description:
        "Time for which a used refresh token returns the same successor again, for parallel requests. Later use revokes the token family.",
      maximum: 30_000,
      reload: "live",
    }),
    token_endpoint_allow_get: boolean(true, {
      description: "Whether GET /oidc/token is available too.",
      reload: "live",
    }),
  }),
};

const discovery = {
  scopes_supported: stringList(["openid", "profile", "email", "groups", "offline_access"], {
    description: "Scopes listed in the discovery document, in addition to custom scopes.",
  }),
  response_types_supported: stringList(["code"], {
    description:
      "Response types of authorization requests: `code`, which is always supported, `id_token` and `id_token token`. The last two are the implicit flow, for clients with the grant type `implicit`. RFC 9700 advises against it: leave it out unless a client cannot use `code`.",
  }),
  subject_types_supported: stringList(["public"], {
    description: "Subject types listed in the discovery document. Only `public` is supported.",
  }),
  id_token_signing_alg_values_supported: stringList(["RS256", "ES256", "PS256"], {
    description:
      "Signature algorithms of ID tokens: RS256, ES256, PS256, EdDSA. Clients that register themselves choose one of them, and the discovery document lists them. RS256 and the algorithms of configured clients and active `signing_keys` are added. Keys are generated and published only for these algorithms.",
  }),
  token_endpoint_auth_methods_supported: stringList(
    ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"],
    {
      description: "Checked, but without effect: each client authenticates by the method that it is registered with.",
    },
  ),
  code_challenge_methods_supported: stringList(["S256"], {
    description: "PKCE methods listed in the discovery document. Only `S256` is supported.",
  }),
  service_documentation: string("", {
    description: "URL of a page for developers of clients, listed in the discovery document.",
    form: "http-url",
  }),
  claims_supported: stringList([], {
    description: "Claims listed in the discovery document, in addition to those of the scopes.",
  }),
};

/** OpenID Connect. */
export const IdentityOidc = section(
  "OpenID Connect provider.",
  {
    enabled: boolean(false, { description: "Whether OpenID Connect is served.", reload: "restart" }),
    issuer: string("", {
      description: "Issuer: the URL under which browsers reach the gateway.",
      form: "http-url",
      reload: "restart",
    }),
    mtls_url: string("", {
      description:
        "URL under which clients reach the listener or proxy that asks for certificates. The discovery document lists it in `mtls_endpoint_aliases`. If empty, clients use the issuer's endpoints.",
      form: "http-url",
      reload: "live",
    }),
    ...keys,
    ...tokens,
    ...discovery,
    clients: entries("OIDC clients. A reload applies changes.", OidcClient),
    dpop: section("Proofs of possession (DPoP, RFC 9449).", {
      require_nonce: boolean(false, {
        description:
          "Whether each proof must contain a nonce that Postern sent before, so that proofs cannot be prepared in advance and clients need no exact clock. While some replicas have another value, requests with proofs may be rejected.",
      }),
    }),
    custom_scopes: entries("Custom scopes, for all clients.", CustomScope),
    mail_registration: MailRegistration,
    dynamic_registration: DynamicRegistration,
    claim_mappings: entries(
      "Claims and the sources of their values, for all clients. A claim is released at userinfo with a scope to which it belongs, and in an ID token that the client's request names it for. `id_token_claims` of a client takes precedence.",
      ClaimMapping,
    ),
    consent: section("User consent.", {
      ttl: duration("720h", { description: "Lifetime of a remembered consent.", maximum: longestLife, reload: "live" }),
      mode: choice(["all_or_nothing", "granular_optional"], "all_or_nothing", {
        description:
          "Whether users can decline individual scopes (`granular_optional`) or only the whole request (`all_or_nothing`).",
        reload: "live",
      }),
    }),
    session_management: section("Session management: clients learn in the browser that a session has ended.", {
      enabled: boolean(false, {
        description:
          "Whether responses to authorization requests contain `session_state`, and discovery `check_session_iframe` (OpenID Connect Session Management 1.0). It sets a cookie that frames of other sites can read.",
      }),
    }),
    logout: section("Logout at clients.", {
      front_channel_supported: boolean(true, {
        description: "Whether a logout in the browser opens the clients' frontchannel_logout_uri in frames.",
      }),
      front_channel_session_supported: boolean(true, {
        description: "Whether `iss` and `sid` are added to these URLs.",
      }),
      back_channel_supported: boolean(true, {
        description: "Whether clients with a backchannel_logout_uri are notified of logouts.",
      }),
      back_channel_session_supported: boolean(true, { description: "Whether logout tokens contain `sid`." }),
      back_channel_timeout: duration("5s", {
        description:
          "Time that a client has to respond to a logout token. After three times this, another replica takes over the delivery.",
        minimum: 100,
        maximum: 60_000,
        reload: "live",
      }),
      back_channel_retry_delay: duration("1s", {
        description:
          "Delay before the second delivery attempt. It doubles with each attempt, and attempts end after one day.",
        minimum: 100,
        maximum: 3_600_000,
        reload: "live",
      }),
      back_channel_retry_max_delay: duration("1m", {
        description: "Maximum delay between two attempts.",
        minimum: 100,
        maximum: 3_600_000,
        reload: "live",
      }),
    }),
    device_flow: section("Device authorization, for devices without a browser.", {
      code_expiry: duration("10m", { description: "Lifetime of a device code.", minimum: 10_000, reload: "live" }),
      polling_interval: integer(5, {
        description: "Minimum interval between two polls of the device.",
        unit: "s",
        minimum: 1,
        maximum: 60,
        reload: "live",
      }),
      user_code_length: integer(8, { description: "Number of letters in a user code.", minimum: 6, maximum: 16 }),
    }),
  },
  // A reload creates a new generation of the provider, with its clients and keys.
  { reload: "live" },
);
