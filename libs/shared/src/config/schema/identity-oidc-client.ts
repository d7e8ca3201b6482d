import { choice, duration, entries, flag, secret, section, text, texts } from "./fields.ts";
import { ClientMfaPolicy } from "./identity-frontend.ts";

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

const longestLife = 3650 * 24 * 60 * 60 * 1000;
const longestTokenLife = 24 * 60 * 60 * 1000;

export const ClaimMapping = section("Where a claim's value comes from.", {
  claim: text("", { description: "Name of the claim.", maxLength: 128 }),
  attribute: text("", { description: "Attribute of the directory that gives its value." }),
  from: choice(["", "groups", "group_dns"], "", { description: "In place of an attribute: the user's groups." }),
  type: choice(claimTypes, "string", { description: "Type of the value; what does not fit is left out." }),
});

const ScopeClaim = section("A claim of a scope.", {
  name: text("", { description: "Name of the claim.", maxLength: 128 }),
  type: choice(claimTypes, "string", { description: "Type of its value." }),
});

export const CustomScope = section("A scope of the site's own.", {
  name: text("", { description: "Name of the scope.", maxLength: 128 }),
  description: text("", { description: "What the consent page says of it." }),
  claims: entries("Claims that it releases.", ScopeClaim),
});

export const tokenTypes = ["", "opaque", "jwt"] as const;
const authMethods = ["", "client_secret_basic", "client_secret_post", "private_key_jwt", "none"] as const;
const signatures = ["RS256", "PS256", "ES256", "EdDSA"] as const;
const oidcGrants =
  "authorization_code, refresh_token, client_credentials, urn:ietf:params:oauth:grant-type:device_code";

const identification = {
  name: text("", { description: "Name on the consent page." }),
  client_id: text("", { description: "Identifier of the client.", maxLength: 200 }),
  client_secret: secret({ description: "Secret of a confidential client." }),
  token_endpoint_auth_method: choice(authMethods, "", {
    description: "How it authenticates; empty: by its secret, in the header or the form, or not at all without one.",
  }),
  client_public_key: text("", { description: "PEM of the public key for private_key_jwt." }),
  client_public_key_file: text("", { description: "File of that PEM." }),
  client_public_key_algorithm: choice(signatures, "RS256", { description: "Algorithm of its assertions." }),
  allow_refresh_token_combined_client_auth: flag(false, {
    description: "On refresh tolerate the same credentials in the header and the form.",
  }),
  resource_server: flag(false, { description: "May introspect the tokens of every client, as a mail server does." }),
};

const grants = {
  redirect_uris: texts([], {
    description: "Redirect URIs; a last * stands for the rest of the path in developer mode only.",
  }),
  post_logout_redirect_uris: texts([], { description: "Where it may send the browser after logout." }),
  grant_types: texts(["authorization_code"], { description: `Grants: ${oidcGrants}.` }),
  scopes: texts(["openid", "profile", "email", "groups", "offline_access"], {
    description: "Scopes it may get; others that it asks for are left out.",
  }),
  implied_scopes: texts([], { description: "Scopes that it gets without asking; among scopes." }),
  custom_scopes: entries(
    "Scopes of this client alone; of a like-named one of all clients they take the place.",
    CustomScope,
  ),
  require_pkce: flag(false, { description: "PKCE also for a confidential client; a public one always needs it." }),
  require_pushed_authorization_requests: flag(false, { description: "Refuse authorization requests not pushed." }),
  dpop_bound_access_tokens: flag(false, { description: "Issue tokens only to a proven key (DPoP)." }),
};

const tokens = {
  access_token_type: choice(tokenTypes, "", {
    description: "Form of its users' access tokens; empty: as of all clients.",
  }),
  access_token_typ: choice(["at+jwt", "JWT"], "at+jwt", {
    description:
      "Header typ of its users' signed access tokens: at+jwt (RFC 9068), or JWT for Dovecot, which verifies no other.",
  }),
  access_token_lifetime: duration("0s", {
    description: "Life of its access tokens; 0: as of all clients.",
    maximum: longestTokenLife,
  }),
  refresh_token_lifetime: duration("0s", {
    description: "Life of its refresh tokens; 0: as of all clients.",
    maximum: longestLife,
  }),
  revoke_refresh_token: flag(true, { description: "A new refresh token at each use; off: the old one is given back." }),
  always_issue_refresh_token: flag(false, {
    description: "Refresh tokens also without the scope offline_access, as webmail needs.",
  }),
  id_token_signed_response_alg: choice(signatures, "RS256", { description: "Signature of its ID tokens and JWTs." }),
  id_token_claims: section("Claims of its ID tokens beyond those asked for.", {
    mappings: entries("Claims.", ClaimMapping),
  }),
  access_token_claims: section("Claims of its access tokens.", { mappings: entries("Claims.", ClaimMapping) }),
};

const signIn = {
  require_mfa: texts([], { description: "Second factors that its users must have." }),
  supported_mfa: texts([], { description: "Second factors that its users may use." }),
  required_mfa_level: text("", { description: "Name or number of the level that a sign-in must reach." }),
  mfa_policy: ClientMfaPolicy,
  delayed_response: flag(false, { description: "Tell of a wrong password only after the second factor." }),
  skip_consent: flag(false, { description: "Never ask for consent." }),
  consent_ttl: duration("0s", {
    description: "Life of a remembered consent; 0: as of all clients.",
    maximum: longestLife,
  }),
  consent_mode: choice(["", "all_or_nothing", "granular_optional"], "", { description: "What a user can leave out." }),
  required_scopes: texts([], { description: "Scopes that a user cannot leave out." }),
  optional_scopes: texts([], { description: "Scopes that a user can leave out." }),
  policy_uri: text("", { description: "Privacy policy of the client.", form: "http-url" }),
  tos_uri: text("", { description: "Terms of the client.", form: "http-url" }),
  logo_uri: text("", { description: "Its logo.", form: "http-url" }),
};

const logout = {
  logout_redirect_uri: text("", { description: "Where the browser goes after a logout that names no address." }),
  backchannel_logout_uri: text("", { description: "Where logouts are told.", form: "http-url" }),
  frontchannel_logout_uri: text("", { description: "Page that logs out in the browser.", form: "http-url" }),
  frontchannel_logout_session_required: flag(false, { description: "Tell that page the session too." }),
};

/** A relying party (behaviour reference §2.2). */
export const OidcClient = section("A client.", { ...identification, ...grants, ...tokens, ...signIn, ...logout });
