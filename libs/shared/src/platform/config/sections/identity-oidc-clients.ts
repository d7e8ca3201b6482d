import type { SchemaNode } from "../tree/node.ts";
import { choice, dayMs, duration, entries, flag, scalar, secret, section, text, texts, yearMs } from "./fields.ts";
import { usersOf } from "./identity-mfa.ts";
import type { OidcClientConfig, OidcConfig } from "./root.ts";

const claimTypes = [
  "string",
  "boolean",
  "integer",
  "float",
  "string_array",
  "boolean_array",
  "integer_array",
  "float_array",
  "object",
  "address",
] as const;

export const longestTokenLife = dayMs;
export const longestLife = 10 * yearMs;

export const ClaimMapping = section("Source of a claim's value.", {
  claim: text(
    "Name of the claim. `address.street_address`, `address.locality`, `address.region`, `address.postal_code`, `address.country` and `address.formatted` set one member of `address`.",
    { maxLength: 128 },
  ),
  attribute: text(
    "Backend attribute with the value, or `domain.<name>`: the attribute <name> of the account's domain (auth.domains.records).",
  ),
  from: choice(
    ["", "groups", "group_dns"],
    "Group membership as the value, in place of an attribute: group names (`groups`) or DNs (`group_dns`).",
  ),
  constant: scalar(
    "Fixed value for every user, in place of an attribute. A number or boolean keeps its JSON type, a string is converted to `type`. It is released with a scope that contains the claim. `email_verified` and `phone_number_verified` are released only together with the address or number.",
  ),
  type: choice(
    claimTypes,
    "Type of the value. A value that does not fit is omitted, and idp logs a warning. This key has no effect on `email_verified` and `phone_number_verified` (always booleans), `updated_at` (always a number) and `address` (always an object): OpenID Connect Core 5.1.",
    { default: "string" },
  ),
});

const ScopeClaim = section("A claim of the scope.", {
  name: text("Name of the claim.", { maxLength: 128 }),
  attribute: text(
    "Backend attribute with the value. If empty, the attribute with the name of the claim, unless the claim has another source.",
  ),
  type: choice(claimTypes, "Type of the value.", { default: "string" }),
});

export const CustomScope = section("A custom scope.", {
  name: text("Name of the scope.", { maxLength: 128 }),
  description: text(
    'Phrase for the scope in the list on the consent page, as a verb phrase such as "See your calendar".',
  ),
  claims: entries("Claims that the scope releases.", ScopeClaim),
});

export const tokenTypes = ["", "opaque", "jwt"] as const;
export const authMethods = [
  "",
  "client_secret_basic",
  "client_secret_post",
  "private_key_jwt",
  "tls_client_auth",
  "self_signed_tls_client_auth",
  "none",
] as const;
const signatures = ["RS256", "PS256", "ES256", "EdDSA"] as const;
const oidcGrants =
  "authorization_code, refresh_token, client_credentials, `urn:ietf:params:oauth:grant-type:device_code`, and implicit where `response_types_supported` has a response type of it";

const identification = {
  name: text("Name of the client on the consent page."),
  client_id: text("Client ID.", { maxLength: 200 }),
  client_secret: secret(
    "Secret of a confidential client. If empty, the client is public unless it uses private_key_jwt.",
  ),
  profile: choice(
    ["", "fapi2"],
    "Set of rules for the client. `fapi2` applies the FAPI 2.0 Security Profile: private_key_jwt with the issuer as audience, pushed requests, PKCE, tokens bound to a key (DPoP, or the certificate with tls_client_certificate_bound_access_tokens), no RS256, and refresh tokens that are not replaced. `postern config check` reports keys that conflict.",
  ),
  token_endpoint_auth_method: choice(
    authMethods,
    "Method by which the client authenticates at the token endpoint. If empty: by its secret, in the header or the form, or not at all if it has none.",
  ),
  tls_client_auth_subject_dn: text(
    "Subject of the client's certificate for tls_client_auth, as in RFC 4514: `CN=bank,O=Bank,C=DE`. Exactly one of these five keys is set.",
  ),
  tls_client_auth_san_dns: text("DNS name in the client's certificate for tls_client_auth."),
  tls_client_auth_san_uri: text("URI in the client's certificate for tls_client_auth."),
  tls_client_auth_san_ip: text("IP address in the client's certificate for tls_client_auth."),
  tls_client_auth_san_email: text("Mail address in the client's certificate for tls_client_auth."),
  client_assertion_audience: choice(
    ["", "any", "issuer"],
    "Accepted `aud` of assertions for private_key_jwt. `any` accepts the issuer, the token endpoint and the called endpoint, `issuer` only the issuer as a string. If empty, `any`, or `issuer` with the profile `fapi2`.",
  ),
  client_public_key: text("Public key for private_key_jwt and request objects, in PEM format."),
  client_public_key_file: text("Path of the PEM file with the public key."),
  client_public_key_algorithm: choice(signatures, "Signature algorithm for which this key is used.", {
    default: "RS256",
  }),
  jwks: text(
    "Public keys for private_key_jwt and request objects, as a JWK set in JSON. The `kid` of an assertion or request object selects the key. If no `kid` matches, keys without a `kid` that fit the algorithm are tried.",
  ),
  jwks_file: text("Path of a file with this JWK set, used when `jwks` is empty."),
  jwks_uri: text(
    "URL of a JWK set that the client publishes: https, or http on a loopback address. It is fetched when an assertion or request object needs it, and again after five minutes or for an unknown key. Redirects are not followed.",
    { form: "http-url" },
  ),
  allow_refresh_token_combined_client_auth: flag(
    "Whether the refresh token grant accepts the same credentials in both the header and the form.",
  ),
  request_object_signing_alg: choice(
    ["", "any", "none", ...signatures],
    "Algorithm of the client's request objects (RFC 9101). If empty, every algorithm of its keys; `none` accepts unsigned request objects and no others, `any` accepts both.",
  ),
  request_uris: texts(
    "URLs at which the client publishes request objects that it names as `request_uri` (RFC 9101): https, or http on a loopback address. If empty, it may only send objects by value. Redirects are not followed.",
    { form: "http-url" },
  ),
  require_signed_request_object: flag(
    "Whether authorization requests are rejected unless they are signed request objects with `aud`, `nbf` and `exp` (FAPI 2.0 Message Signing).",
  ),
  resource_server: flag("Whether the client may introspect tokens of all clients, as a mail server needs to."),
  registered_clients: flag(
    "Whether tokens of clients of identity.oidc.dynamic_registration are reported as active to a resource server. If false, they are not, because anyone could have registered the client.",
  ),
  protocols: texts(
    "Protocols that a resource server serves. Tokens whose scopes of identity.oidc.mail_registration permit none of them are reported as inactive to it. If empty, the scopes are not checked.",
  ),
};

const grants = {
  redirect_uris: texts(
    "Redirect URIs, compared exactly; see `application_type` for loopback addresses. A trailing * matches the rest of the path, in developer mode only.",
  ),
  application_type: choice(
    ["", "web", "native"],
    "Kind of application (OpenID Connect Registration, section 2). `web`: URIs are http or https and must be exactly the same. `native`: a loopback URI with http matches with any port (RFC 8252); other URIs use https or a private-use scheme. If empty, a loopback URI with http of a public client, and every private-use scheme, follows the rule of `native`, and any other URI that of `web`.",
  ),
  post_logout_redirect_uris: texts("URIs to which the client may redirect the browser after logout."),
  grant_types: texts(`Permitted grant types: ${oidcGrants}.`, { default: ["authorization_code"] }),
  scopes: texts("Scopes that the client may obtain. Others that it requests are ignored.", {
    default: ["openid", "profile", "email", "groups", "offline_access"],
  }),
  implied_scopes: texts("Scopes that the client obtains without requesting them. They must be listed in `scopes`."),
  custom_scopes: entries(
    "Custom scopes of this client. They replace general custom scopes of the same name.",
    CustomScope,
  ),
  require_pkce: flag("Whether a confidential client must use PKCE. A public client always must."),
  require_pushed_authorization_requests: flag(
    "Whether authorization requests are rejected unless they were pushed (PAR).",
  ),
  dpop_bound_access_tokens: flag("Whether tokens are issued only to clients that prove possession of a key (DPoP)."),
  tls_client_certificate_bound_access_tokens: flag(
    "Whether tokens are issued only to clients with a certificate, and are bound to it (RFC 8705).",
  ),
};

const claims = { mappings: entries("Claims and the sources of their values.", ClaimMapping) };

const tokens = {
  access_token_type: choice(
    tokenTypes,
    "Format of the access tokens of users: `opaque` or `jwt`. If empty, the general setting applies.",
    { default: "" },
  ),
  access_token_typ: choice(
    ["at+jwt", "JWT"],
    "Header `typ` of the JWT access tokens of users: `at+jwt` (RFC 9068), or `JWT` for Dovecot, which accepts no other value.",
  ),
  access_token_lifetime: duration("0s", "Lifetime of access tokens. 0 uses the general setting.", {
    maximum: longestTokenLife,
  }),
  refresh_token_lifetime: duration("0s", "Lifetime of refresh tokens. 0 uses the general setting.", {
    maximum: longestLife,
  }),
  revoke_refresh_token: flag(
    "Whether each use of a refresh token replaces it with a new one. If false, the same token is returned.",
    { default: true },
  ),
  always_issue_refresh_token: flag(
    "Whether refresh tokens are issued without the scope offline_access too, as webmail needs.",
  ),
  id_token_signed_response_alg: choice(
    ["", ...signatures],
    "Algorithm that signs ID tokens and JWT access tokens. If empty, RS256, or PS256 with the profile `fapi2`.",
  ),
  authorization_signed_response_alg: choice(
    ["", ...signatures],
    "Algorithm that signs authorization responses with a response mode such as `jwt` (JARM). If empty, RS256, or PS256 with the profile `fapi2`.",
  ),
  userinfo_signed_response_alg: choice(
    ["", ...signatures],
    "Algorithm that signs responses of userinfo. If empty, they are JSON without a signature.",
  ),
  id_token_claims: section(
    "Claims in ID tokens, in addition to the requested ones. A claim that belongs to a scope requires the scope.",
    claims,
  ),
  access_token_claims: section(
    "Claims in access tokens and at introspection. A claim that belongs to a scope requires the scope, except `email` and `preferred_username`.",
    claims,
  ),
};

const signIn = {
  ...usersOf("client"),
  default_max_age: duration(
    "0s",
    "Age of a sign-in after which users must sign in again for this client, if the request has no `max_age`. 0 means any age.",
    { maximum: longestLife },
  ),
  skip_consent: flag("Whether the consent page is skipped."),
  consent_ttl: duration("0s", "Lifetime of a remembered consent. 0 uses the general setting.", {
    maximum: longestLife,
  }),
  consent_mode: choice(
    ["", "all_or_nothing", "granular_optional"],
    "Whether users can decline individual scopes. If empty, the general setting applies.",
  ),
  required_scopes: texts("Scopes that users cannot decline with `granular_optional`."),
  optional_scopes: texts(
    "Scopes that users can decline with `granular_optional`. If empty, all except openid and required_scopes.",
  ),
  policy_uri: text("URL of the client's privacy policy.", { form: "http-url" }),
  tos_uri: text("URL of the client's terms of service.", { form: "http-url" }),
  initiate_login_uri: text(
    'URL at which the client starts a sign-in (OpenID Connect Core, section 4): https, or http on a loopback address. If it is set, the page "Connected applications" offers the client to every user, and a page that has expired leads back to it.',
    { form: "http-url" },
  ),
  initiate_login_target: text("URL in the client where the user arrives after this sign-in (`target_link_uri`).", {
    form: "http-url",
  }),
  logo_uri: text("URL of the client's logo on the consent page. It must use https, or the logo is not shown.", {
    form: "http-url",
  }),
};

const logout = {
  logout_redirect_uri: text("URL to which the browser is redirected after a logout request without a URL."),
  backchannel_logout_uri: text("URL that receives logout tokens when a session ends (back-channel logout).", {
    form: "http-url",
  }),
  frontchannel_logout_uri: text(
    "URL of the client's page that signs the user out in the browser (front-channel logout).",
    { form: "http-url" },
  ),
  frontchannel_logout_session_required: flag(
    "Whether the front-channel logout page needs `iss` and `sid`. It requires identity.oidc.logout.front_channel_session_supported.",
  ),
};

export const OidcClient = section("An OIDC client.", { ...identification, ...grants, ...tokens, ...signIn, ...logout });

function defaultsOf(node: SchemaNode): unknown {
  if (node.kind === "leaf") return node.default;
  if (node.kind !== "section") return node.kind === "list" ? [] : {};
  return Object.fromEntries([...node.children].map(([name, child]) => [name, defaultsOf(child)]));
}

/** A client of which nothing is configured; for clients that register themselves. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every key of a client has a default
export const clientDefaults: OidcClientConfig = Object.freeze(defaultsOf(OidcClient) as OidcClientConfig);

/** Response types of the implicit flow (OpenID Connect Core §3.2). */
export const implicitTypes = ["id_token", "id_token token"] as const;

export type ImplicitType = (typeof implicitTypes)[number];

/** The response types of the implicit flow that the site permits; normally none. */
export function permittedImplicitTypes({
  response_types_supported: types,
}: Pick<OidcConfig, "response_types_supported">): readonly ImplicitType[] {
  return implicitTypes.filter((type) => types.includes(type));
}
