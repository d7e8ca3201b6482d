import { messages } from "../messages.ts";
import { checkEncryption, checkServed, type Judgement } from "./checks.ts";
import {
  choice,
  duration,
  entries,
  flag,
  hourMs,
  integer,
  liveSection,
  secret,
  section,
  text,
  texts,
} from "./fields.ts";
import { validateSiteClaims } from "./identity-oidc-claims.ts";
import { validateOidcClients } from "./identity-oidc-client-checks.ts";
import {
  authMethods,
  ClaimMapping,
  CustomScope,
  implicitTypes,
  longestLife,
  longestTokenLife,
  OidcClient,
  permittedImplicitTypes,
  tokenTypes,
} from "./identity-oidc-clients.ts";
import {
  MailRegistration,
  validateMailTokens,
  validateRegisteredMailClients,
} from "./identity-oidc-mail-registration.ts";
import { DynamicRegistration, validateDynamicRegistration } from "./identity-oidc-registration.ts";
import type { Config } from "./root.ts";

const SigningKey = section("A signing key of the site. It is used before the generated keys of its algorithm.", {
  id: text("Key ID (`kid`): letters, digits, - and _.", { maxLength: 64 }),
  key: secret("Private key, in PEM format."),
  key_file: text("Path of the PEM file with the private key."),
  algorithm: choice(["RS256", "PS256", "ES256", "EdDSA"], "Signature algorithm of the key."),
  active: flag("Whether the key signs. If false, it only verifies.", { default: true }),
});

const keys = {
  signing_keys: entries("Signing keys of the site.", SigningKey),
  auto_key_rotation: flag(
    "Whether new keys are generated on schedule. If false, the keys of the first start are used permanently.",
    { default: true },
  ),
  key_rotation_interval: duration(
    "168h",
    "Age at which a generated key is replaced. Values below one hour are accepted in developer mode only.",
    { minimum: 1000, maximum: longestLife },
  ),
  key_publish_delay: duration(
    "1h",
    "Time for which a new key is published before it signs. It must be longer than verifiers cache the key set.",
    { minimum: 1000 },
  ),
  key_max_age: duration(
    "192h",
    "Age at which a key is removed from the key set. It stays until the last token that it signed has expired.",
    { maximum: longestLife },
  ),
};

const tokens = {
  access_token_type: choice(tokenTypes, "Format of the access tokens of users.", { default: "opaque" }),
  tokens: section("Lifetimes of tokens.", {
    default_access_token_lifetime: duration("1h", "Lifetime of access tokens and ID tokens.", {
      minimum: 1000,
      maximum: longestTokenLife,
    }),
    default_refresh_token_lifetime: duration("720h", "Lifetime of refresh tokens.", {
      minimum: 1000,
      maximum: longestLife,
    }),
    revoke_refresh_token: flag("Whether each use of a refresh token replaces it with a new one.", {
      default: true,
    }),
    refresh_token_grace: duration(
      "30s",
      "Time for which a used refresh token returns the same successor again, for parallel requests. Later use revokes the token family.",
      { maximum: 30_000 },
    ),
    token_endpoint_allow_get: flag("Whether GET /oidc/token is available too.", { default: true }),
  }),
};

const discovery = {
  scopes_supported: texts("Scopes listed in the discovery document, in addition to custom scopes.", {
    default: ["openid", "profile", "email", "groups", "offline_access"],
  }),
  response_types_supported: texts(
    "Response types of authorization requests: `code`, which is always supported, `id_token` and `id_token token`. The last two are the implicit flow, for clients with the grant type `implicit`. RFC 9700 advises against it: leave it out unless a client cannot use `code`.",
    { default: ["code"] },
  ),
  subject_types_supported: texts("Subject types listed in the discovery document. Only `public` is supported.", {
    default: ["public"],
  }),
  id_token_signing_alg_values_supported: texts(
    "Signature algorithms of ID tokens: RS256, ES256, PS256, EdDSA. Clients that register themselves choose one of them, and the discovery document lists them. RS256 and the algorithms of configured clients and active `signing_keys` are added. Keys are generated and published only for these algorithms.",
    { default: ["RS256", "ES256", "PS256"] },
  ),
  token_endpoint_auth_methods_supported: texts(
    "Checked, but without effect: each client authenticates by the method that it is registered with.",
    { default: ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"] },
  ),
  code_challenge_methods_supported: texts("PKCE methods listed in the discovery document. Only `S256` is supported.", {
    default: ["S256"],
  }),
  service_documentation: text("URL of a page for developers of clients, listed in the discovery document.", {
    form: "http-url",
  }),
  claims_supported: texts("Claims listed in the discovery document, in addition to those of the scopes."),
};

/** OpenID Connect. A reload creates a new generation of the provider, with its clients and keys. */
export const IdentityOidc = liveSection("OpenID Connect provider.", {
  enabled: flag("Whether OpenID Connect is served.", { reload: "restart" }),
  issuer: text("Issuer: the URL under which browsers reach the gateway.", { form: "http-url", reload: "restart" }),
  mtls_url: text(
    "URL under which clients reach the listener or proxy that asks for certificates. The discovery document lists it in `mtls_endpoint_aliases`. If empty, clients use the issuer's endpoints.",
    { form: "http-url" },
  ),
  ...keys,
  ...tokens,
  ...discovery,
  clients: entries("OIDC clients. A reload applies changes.", OidcClient),
  dpop: section("Proofs of possession (DPoP, RFC 9449).", {
    require_nonce: flag(
      "Whether each proof must contain a nonce that Postern sent before, so that proofs cannot be prepared in advance and clients need no exact clock. While some replicas have another value, requests with proofs may be rejected.",
    ),
  }),
  custom_scopes: entries("Custom scopes, for all clients.", CustomScope),
  mail_registration: MailRegistration,
  dynamic_registration: DynamicRegistration,
  claim_mappings: entries(
    "Claims and the sources of their values, for all clients. A claim is released at userinfo with a scope to which it belongs, and in an ID token that the client's request names it for. `id_token_claims` of a client takes precedence.",
    ClaimMapping,
  ),
  consent: section("User consent.", {
    ttl: duration("720h", "Lifetime of a remembered consent.", { maximum: longestLife }),
    mode: choice(
      ["all_or_nothing", "granular_optional"],
      "Whether users can decline individual scopes (`granular_optional`) or only the whole request (`all_or_nothing`).",
    ),
  }),
  session_management: section("Session management: clients learn in the browser that a session has ended.", {
    enabled: flag(
      "Whether responses to authorization requests contain `session_state`, and discovery `check_session_iframe` (OpenID Connect Session Management 1.0). It sets a cookie that frames of other sites can read.",
    ),
  }),
  logout: section("Logout at clients.", {
    front_channel_supported: flag(
      "Whether a logout in the browser opens the clients' frontchannel_logout_uri in frames.",
      { default: true },
    ),
    front_channel_session_supported: flag("Whether `iss` and `sid` are added to these URLs.", { default: true }),
    back_channel_supported: flag("Whether clients with a backchannel_logout_uri are notified of logouts.", {
      default: true,
    }),
    back_channel_session_supported: flag("Whether logout tokens contain `sid`.", { default: true }),
    back_channel_timeout: duration(
      "5s",
      "Time that a client has to respond to a logout token. After three times this, another replica takes over the delivery.",
      { minimum: 100, maximum: 60_000 },
    ),
    back_channel_retry_delay: duration(
      "1s",
      "Delay before the second delivery attempt. It doubles with each attempt, and attempts end after one day.",
      { minimum: 100, maximum: 3_600_000 },
    ),
    back_channel_retry_max_delay: duration("1m", "Maximum delay between two attempts.", {
      minimum: 100,
      maximum: 3_600_000,
    }),
  }),
  device_flow: section("Device authorization, for devices without a browser.", {
    code_expiry: duration("10m", "Lifetime of a device code.", { minimum: 10_000 }),
    polling_interval: integer(5, "Minimum interval between two polls of the device.", {
      unit: "s",
      minimum: 1,
      maximum: 60,
    }),
    user_code_length: integer(8, "Number of letters in a user code.", { minimum: 6, maximum: 16 }),
  }),
});

const root = "identity.oidc";
const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
/** What lists may contain. */
const served = [
  ["response_types_supported", ["code", ...implicitTypes]],
  ["subject_types_supported", ["public"]],
  ["code_challenge_methods_supported", ["S256"]],
  ["id_token_signing_alg_values_supported", ["RS256", "ES256", "PS256", "EdDSA"]],
  ["token_endpoint_auth_methods_supported", authMethods.filter((method) => method !== "")],
] as const;

function validateIssuer({ identity, auth }: Config, { problem, warning }: Judgement): void {
  const { issuer } = identity.oidc;
  const { oidc_bearer } = auth.backchannel;
  const path = `${root}.issuer`;
  if (issuer === "") return problem(path, messages.needsWhen(`${root}.enabled is true`));
  const url = new URL(issuer);
  if (url.protocol === "http:" && !loopback.test(url.hostname)) problem(path, messages.httpIssuer);
  if (url.origin !== issuer) problem(path, messages.issuerPath);
  if (oidc_bearer.enabled && oidc_bearer.issuer !== "" && oidc_bearer.issuer !== issuer) {
    warning(`auth.backchannel.oidc_bearer.issuer`, messages.notThatIssuer);
  }
}

function validateProvider(config: Config, judgement: Judgement): void {
  const { oidc } = config.identity;
  if (!oidc.enabled) return;
  const { problem, warning } = judgement;
  checkEncryption(config.storage.redis, `${root}.enabled is true`, judgement);
  if (oidc.key_rotation_interval < hourMs && !config.runtime.developer_mode) {
    problem(`${root}.key_rotation_interval`, messages.rotationTooOften);
  }
  validateIssuer(config, judgement);
  for (const [name, known] of served) checkServed(oidc[name], known, `${root}.${name}`, judgement);
  if (permittedImplicitTypes(oidc).length > 0) warning(`${root}.response_types_supported`, messages.implicitFlow);
  validateSiteClaims(oidc, `${root}.claim_mappings`, judgement);
}

export function validateOidc(config: Config, judgement: Judgement): void {
  validateProvider(config, judgement);
  validateOidcClients(config, judgement);
  validateRegisteredMailClients(config, judgement);
  validateMailTokens(config, judgement);
  validateDynamicRegistration(config, judgement);
}
