import { isLoopback } from "../../net/ip.ts";
import { recommendedSuites } from "../../net/tls-names.ts";
import { excludesImplicit, implicitTypes, permittedImplicitTypes } from "../implicit-flow.ts";
import { messages } from "../messages.ts";
import type { Config, OidcClientConfig, OidcConfig } from "../schema/root.ts";
import { validateClientClaims, validateSiteClaims } from "./claims.ts";
import { validateClientWithCertificate } from "./client-certificates.ts";
import type { Judgement } from "./judgement.ts";
import { isSafeToFetch } from "./safe-to-fetch.ts";

function isAllowedRedirect(uri: string): boolean {
  const url = URL.parse(uri);
  return url !== null && (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname)));
}

const methods: ReadonlySet<string> = new Set(["", "private_key_jwt", "tls_client_auth", "self_signed_tls_client_auth"]);

/** The keys of a client that contradict the FAPI 2.0 Security Profile. */
function contradictions(client: OidcClientConfig): readonly string[] {
  const { client_public_key: pem, client_public_key_file: file, redirect_uris } = client;
  const conflicts = {
    client_secret: client.client_secret !== "",
    token_endpoint_auth_method: !methods.has(client.token_endpoint_auth_method),
    client_assertion_audience: client.client_assertion_audience === "any",
    client_public_key_algorithm: (pem !== "" || file !== "") && client.client_public_key_algorithm === "RS256",
    id_token_signed_response_alg: client.id_token_signed_response_alg === "RS256",
    authorization_signed_response_alg: client.authorization_signed_response_alg === "RS256",
    userinfo_signed_response_alg: client.userinfo_signed_response_alg === "RS256",
    request_object_signing_alg: ["RS256", "none", "any"].includes(client.request_object_signing_alg),
    redirect_uris: !redirect_uris.every((uri) => isAllowedRedirect(uri)),
  };
  return Object.entries(conflicts).flatMap(([name, isConflict]) => (isConflict ? [name] : []));
}

/** Names what contradicts `profile: fapi2`, of the client and of the listener. */
function validateFapi(config: Config, path: string, client: OidcClientConfig, { problem }: Judgement): void {
  if (client.profile !== "fapi2") return;
  for (const name of contradictions(client)) problem(`${path}.${name}`, messages.contradicts(`${path}.profile`));
  const { tls } = config.runtime.servers.http;
  if (tls.enabled && tls.cipher_suites.some((name) => !recommendedSuites.includes(name))) {
    problem("runtime.servers.http.tls.cipher_suites", messages.contradicts(`${path}.profile`));
  }
}

const key = "identity.oidc.response_types_supported";

/** Warns of the implicit flow. */
function validateImplicitSite(oidc: OidcConfig, { warning }: Judgement): void {
  if (permittedImplicitTypes(oidc).length > 0) warning(key, messages.implicitFlow);
}

/** A client with the grant type `implicit`. */
function validateImplicitClient(
  oidc: OidcConfig,
  client: OidcClientConfig,
  path: string,
  { problem }: Judgement,
): void {
  if (!client.grant_types.includes("implicit")) return;
  if (permittedImplicitTypes(oidc).length === 0) problem(key, messages.implicitTypeNeeded);
  for (const name of excludesImplicit(client)) problem(`${path}.grant_types`, messages.notWith(name));
}

const root = "identity.oidc";
const hour = 3_600_000;
const grants = [
  "authorization_code",
  "refresh_token",
  "client_credentials",
  "urn:ietf:params:oauth:grant-type:device_code",
  "implicit",
];
const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

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

function validateLists(oidc: OidcConfig, { problem }: Judgement): void {
  const served = {
    response_types_supported: ["code", ...implicitTypes],
    subject_types_supported: ["public"],
    code_challenge_methods_supported: ["S256"],
    id_token_signing_alg_values_supported: ["RS256", "ES256", "PS256", "EdDSA"],
    token_endpoint_auth_methods_supported: [
      "client_secret_basic",
      "client_secret_post",
      "private_key_jwt",
      "tls_client_auth",
      "self_signed_tls_client_auth",
      "none",
    ],
  } as const satisfies Partial<Record<keyof OidcConfig, readonly string[]>>;
  const check = (name: string, configured: readonly string[], allowed: readonly string[]): void => {
    if (configured.some((word) => !allowed.includes(word))) {
      problem(`${root}.${name}`, messages.notServed(allowed.join(", ")));
    }
  };
  check("response_types_supported", oidc.response_types_supported, served.response_types_supported);
  check("subject_types_supported", oidc.subject_types_supported, served.subject_types_supported);
  check(
    "code_challenge_methods_supported",
    oidc.code_challenge_methods_supported,
    served.code_challenge_methods_supported,
  );
  check(
    "id_token_signing_alg_values_supported",
    oidc.id_token_signing_alg_values_supported,
    served.id_token_signing_alg_values_supported,
  );
  check(
    "token_endpoint_auth_methods_supported",
    oidc.token_endpoint_auth_methods_supported,
    served.token_endpoint_auth_methods_supported,
  );
}

function signsAssertions({ token_endpoint_auth_method: method, profile }: OidcClientConfig): boolean {
  return method === "private_key_jwt" || (method === "" && profile === "fapi2");
}

function isPublic(client: OidcClientConfig): boolean {
  const { client_secret, token_endpoint_auth_method: method } = client;
  if (signsAssertions(client) || method.endsWith("tls_client_auth")) return false;
  return method === "none" || client_secret === "";
}

function validateCredentials(client: OidcClientConfig, path: string, { problem }: Judgement): void {
  const { client_secret, token_endpoint_auth_method: method, grant_types } = client;
  if (method.startsWith("client_secret") && client_secret === "") {
    problem(`${path}.client_secret`, messages.needsWhen(`token_endpoint_auth_method is ${method}`));
  }
  const { jwks_uri } = client;
  if (signsAssertions(client) && !hasKeys(client)) {
    const cause = method === "" ? "profile is fapi2" : "token_endpoint_auth_method is private_key_jwt";
    problem(`${path}.client_public_key`, messages.needsWhen(cause));
  }
  if (jwks_uri !== "" && !isSafeToFetch(jwks_uri)) problem(`${path}.jwks_uri`, messages.metadataUrl);
  if (isPublic(client) && (grant_types.includes("client_credentials") || client.resource_server)) {
    problem(path, messages.onlyConfidential);
  }
}

function validateLoginUri({ initiate_login_uri: uri }: OidcClientConfig, path: string, { problem }: Judgement): void {
  if (uri !== "" && !isSafeToFetch(uri)) problem(`${path}.initiate_login_uri`, messages.metadataUrl);
}

function hasKeys(client: OidcClientConfig): boolean {
  const { client_public_key: pem, client_public_key_file: file, jwks, jwks_file, jwks_uri } = client;
  return [pem, file, jwks, jwks_file, jwks_uri].some((key) => key !== "");
}

function validateRequestObjects(client: OidcClientConfig, path: string, { problem }: Judgement): void {
  const { request_object_signing_alg: algorithm, require_signed_request_object: isRequired } = client;
  const mayBeUnsigned = algorithm === "none" || algorithm === "any";
  if (isRequired && mayBeUnsigned) {
    problem(`${path}.request_object_signing_alg`, messages.notWith("require_signed_request_object"));
  }
  client.request_uris.forEach((uri, index) => {
    if (!isSafeToFetch(uri)) problem(`${path}.request_uris[${index}]`, messages.metadataUrl);
  });
  if (hasKeys(client)) return;
  if (isRequired) {
    problem(`${path}.client_public_key`, messages.needsWhen("require_signed_request_object is true"));
  } else if (algorithm !== "" && !mayBeUnsigned) {
    problem(`${path}.client_public_key`, messages.needsWhen(`request_object_signing_alg is ${algorithm}`));
  }
}

function validateScopes(client: OidcClientConfig, path: string, { problem }: Judgement): void {
  const { scopes, implied_scopes, required_scopes, optional_scopes } = client;
  for (const [name, words] of Object.entries({ implied_scopes, required_scopes, optional_scopes })) {
    if (words.some((word) => !scopes.includes(word))) problem(`${path}.${name}`, messages.notAmongScopes);
  }
  if (optional_scopes.includes("openid")) problem(`${path}.optional_scopes`, messages.openidOptional);
}

/** Cross-key rules of `identity.oidc`; a client's keys and addresses are checked by the identity provider's preflight. */
export function validateOidc(config: Config, judgement: Judgement): void {
  const { oidc } = config.identity;
  if (!oidc.enabled) return;
  const { problem } = judgement;
  if (config.storage.redis.encryption_secret === "") {
    problem("storage.redis.encryption_secret", messages.needsWhen(`${root}.enabled is true`));
  }
  if (oidc.key_rotation_interval < hour && !config.runtime.developer_mode) {
    problem(`${root}.key_rotation_interval`, messages.rotationTooOften);
  }
  validateIssuer(config, judgement);
  validateLists(oidc, judgement);
  validateImplicitSite(oidc, judgement);
  validateSiteClaims(oidc, `${root}.claim_mappings`, judgement);
  const seen = new Set<string>();
  oidc.clients.forEach((client, index) => {
    const path = `${root}.clients[${index}]`;
    const { client_id, grant_types, redirect_uris } = client;
    if (client_id === "") problem(`${path}.client_id`, messages.required);
    if (seen.has(client_id)) problem(`${path}.client_id`, messages.clientTwice);
    seen.add(client_id);
    if (grant_types.some((grant) => !grants.includes(grant))) {
      problem(`${path}.grant_types`, messages.notServed(grants.join(", ")));
    }
    const redirects = grant_types.includes("authorization_code") || grant_types.includes("implicit");
    if (redirects && redirect_uris.length === 0) {
      problem(`${path}.redirect_uris`, messages.noRedirectUri);
    }
    validateImplicitClient(oidc, client, path, judgement);
    if (!config.runtime.developer_mode && redirect_uris.some((uri) => uri.includes("*"))) {
      problem(`${path}.redirect_uris`, messages.wildcardRedirect);
    }
    if (client.frontchannel_logout_session_required && !oidc.logout.front_channel_session_supported) {
      const needed = messages.contradicts(`${root}.logout.front_channel_session_supported`);
      problem(`${path}.frontchannel_logout_session_required`, needed);
    }
    validateCredentials(client, path, judgement);
    validateLoginUri(client, path, judgement);
    validateRequestObjects(client, path, judgement);
    validateFapi(config, path, client, judgement);
    validateClientWithCertificate(config, path, client, judgement);
    validateScopes(client, path, judgement);
    validateClientClaims(oidc, client, path, judgement);
  });
}
