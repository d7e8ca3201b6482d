import { isLoopback } from "../../net/ip.ts";
import { recommendedSuites } from "../../net/tls-names.ts";
import { messages } from "../messages.ts";
import { checkServed, checkUnique, isSafeToFetch, type Judgement } from "./checks.ts";
import { validateClientClaims } from "./identity-oidc-claims.ts";
import { permittedImplicitTypes } from "./identity-oidc-clients.ts";
import type { Config, OidcClientConfig } from "./root.ts";

const root = "identity.oidc";
const listener = "runtime.servers.http";
const grants = [
  "authorization_code",
  "refresh_token",
  "client_credentials",
  "urn:ietf:params:oauth:grant-type:device_code",
  "implicit",
];

const protections = [
  "profile",
  "token_endpoint_auth_method",
  "dpop_bound_access_tokens",
  "tls_client_certificate_bound_access_tokens",
  "require_pushed_authorization_requests",
  "require_signed_request_object",
] as const;

/** The keys of a client that demand a protection which the implicit flow would bypass; such a client never uses it. */
export function excludesImplicit(client: Pick<OidcClientConfig, (typeof protections)[number]>) {
  return protections.filter((name) => {
    const value = client[name];
    return typeof value === "boolean" ? value : value === "fapi2" || value.endsWith("tls_client_auth");
  });
}

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
function validateFapi({ runtime }: Config, path: string, client: OidcClientConfig, { problem }: Judgement): void {
  if (client.profile !== "fapi2") return;
  for (const name of contradictions(client)) problem(`${path}.${name}`, messages.contradicts(`${path}.profile`));
  const { tls } = runtime.servers.http;
  if (tls.enabled && tls.cipher_suites.some((name) => !recommendedSuites.includes(name))) {
    problem(`${listener}.tls.cipher_suites`, messages.contradicts(`${path}.profile`));
  }
}

/** A client that authenticates with a certificate, or whose tokens are bound to one. */
function validateCertificate(
  { runtime }: Config,
  path: string,
  client: OidcClientConfig,
  { problem }: Judgement,
): void {
  const { token_endpoint_auth_method: method, tls_client_certificate_bound_access_tokens: isBound } = client;
  const usesTls = method.endsWith("tls_client_auth");
  const { address, header } = runtime.servers.http.client_certificates;
  if ((usesTls || isBound) && address.length === 0 && header === "") {
    const cause = usesTls ? `token_endpoint_auth_method is ${method}` : "tokens are bound to certificates";
    problem(`${listener}.client_certificates.address`, messages.needsWhen(`${path}: ${cause}`));
  }
  if (method === "self_signed_tls_client_auth" && !hasKeys(client)) {
    problem(`${path}.jwks`, messages.needsWhen(`token_endpoint_auth_method is ${method}`));
  }
  if (usesTls && client.client_secret !== "") problem(`${path}.client_secret`, messages.notWith(method));
  const { tls_client_auth_subject_dn: dn, tls_client_auth_san_dns: dns, tls_client_auth_san_uri: uri } = client;
  const { tls_client_auth_san_ip: ip, tls_client_auth_san_email: email } = client;
  const named = [dn, dns, uri, ip, email].filter((name) => name !== "").length;
  if (method === "tls_client_auth" && named !== 1) problem(`${path}.tls_client_auth_subject_dn`, messages.oneSubject);
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

function validateGrants(config: Config, path: string, client: OidcClientConfig, judgement: Judgement): void {
  const { problem } = judgement;
  const { grant_types, redirect_uris } = client;
  checkServed(grant_types, grants, `${path}.grant_types`, judgement);
  const redirects = grant_types.includes("authorization_code") || grant_types.includes("implicit");
  if (redirects && redirect_uris.length === 0) problem(`${path}.redirect_uris`, messages.noRedirectUri);
  if (grant_types.includes("implicit")) {
    if (permittedImplicitTypes(config.identity.oidc).length === 0) {
      problem(`${root}.response_types_supported`, messages.implicitTypeNeeded);
    }
    for (const name of excludesImplicit(client)) problem(`${path}.grant_types`, messages.notWith(name));
  }
  if (!config.runtime.developer_mode && redirect_uris.some((uri) => uri.includes("*"))) {
    problem(`${path}.redirect_uris`, messages.wildcardRedirect);
  }
}

/** Rules between keys of each client; its keys and addresses are checked by the identity provider's preflight. */
export function validateOidcClients(config: Config, judgement: Judgement): void {
  const { oidc } = config.identity;
  if (!oidc.enabled) return;
  const { problem } = judgement;
  oidc.clients.forEach((client, index) => {
    const path = `${root}.clients[${index}]`;
    if (client.client_id === "") problem(`${path}.client_id`, messages.required);
    validateGrants(config, path, client, judgement);
    if (client.frontchannel_logout_session_required && !oidc.logout.front_channel_session_supported) {
      const reason = messages.contradicts(`${root}.logout.front_channel_session_supported`);
      problem(`${path}.frontchannel_logout_session_required`, reason);
    }
    validateCredentials(client, path, judgement);
    const { initiate_login_uri: uri } = client;
    if (uri !== "" && !isSafeToFetch(uri)) problem(`${path}.initiate_login_uri`, messages.metadataUrl);
    validateRequestObjects(client, path, judgement);
    validateFapi(config, path, client, judgement);
    validateCertificate(config, path, client, judgement);
    validateScopes(client, path, judgement);
    validateClientClaims(oidc, client, path, judgement);
  });
  checkUnique(oidc.clients, [`${root}.clients`, "client_id"], messages.clientTwice, judgement);
}
