import { createPublicKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import type { OidcClientConfig } from "@postern/shared/config";
import { digestOf } from "@postern/shared/crypto";
import type { ClientMetadata, JWK } from "oidc-provider";
import { demandsOf, type SignInDemands } from "../login/sign-in-demands.ts";
import type { OidcSettings } from "./oidc-settings.ts";

/** A client as our own rules see it; the protocol's view is its metadata. */
export interface ClientPolicy {
  readonly id: string;
  readonly config: OidcClientConfig;
  readonly isPublic: boolean;
  readonly scopes: ReadonlySet<string>;
  readonly accessTokenType: "opaque" | "jwt";
  readonly accessTokenSeconds: number;
  readonly refreshTokenSeconds: number;
  readonly rotatesRefreshTokens: boolean;
  readonly signature: string;
  readonly demands: SignInDemands;
  /** Of a client that has a secret. */
  readonly secretDigest: Buffer | undefined;
  /** Of a client that signs assertions. */
  readonly assertionKey: KeyObject | undefined;
}

export type ClientPolicies = ReadonlyMap<string, ClientPolicy>;

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
const loopbackUri = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$)/;

function authMethodOf(
  config: OidcClientConfig,
): "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none" {
  const { token_endpoint_auth_method: method, client_secret } = config;
  if (method !== "") return method;
  return client_secret === "" ? "none" : "client_secret_basic";
}

function publicKeyOf({
  client_public_key: pem,
  client_public_key_file: file,
}: OidcClientConfig): KeyObject | undefined {
  if (pem === "" && file === "") return undefined;
  return createPublicKey(pem === "" ? readFileSync(file, "utf8") : pem);
}

function publicKeysOf(config: OidcClientConfig): readonly JWK[] {
  const key = publicKeyOf(config);
  const alg = config.client_public_key_algorithm;
  return key === undefined ? [] : [{ ...key.export({ format: "jwk" }), alg, use: "sig", kid: "client" }];
}

/** Programs of a user's own machine: their redirect URIs stay on it, or are a scheme of their own. */
function isNative({ redirect_uris }: OidcClientConfig): boolean {
  return redirect_uris.length > 0 && redirect_uris.every((uri) => loopbackUri.test(uri) || !/^https?:/.test(uri));
}

function grantTypesOf(config: OidcClientConfig): readonly string[] {
  const { grant_types, scopes, always_issue_refresh_token } = config;
  const isForUsers = grant_types.includes("authorization_code") || grant_types.includes(deviceGrant);
  const refreshes = isForUsers && (always_issue_refresh_token || scopes.includes("offline_access"));
  return [...new Set([...grant_types, ...(refreshes ? ["refresh_token"] : [])])];
}

function addressesOf({
  policy_uri,
  tos_uri,
  logo_uri,
  backchannel_logout_uri,
}: OidcClientConfig): Partial<ClientMetadata> {
  const told = Object.entries({ policy_uri, tos_uri, logo_uri, backchannel_logout_uri }).filter(
    ([, uri]) => uri !== "",
  );
  return {
    ...Object.fromEntries(told),
    ...(backchannel_logout_uri !== "" && { backchannel_logout_session_required: true }),
  };
}

/**
 * The client's registration (OpenID Connect Registration §2) as the provider takes it.
 *
 * @throws where a key of the client cannot be read
 */
export function clientMetadata(config: OidcClientConfig): ClientMetadata {
  const method = authMethodOf(config);
  const keys = method === "private_key_jwt" ? publicKeysOf(config) : [];
  const usesCodes = config.grant_types.includes("authorization_code");
  return {
    client_id: config.client_id,
    ...(config.name !== "" && { client_name: config.name }),
    ...(config.client_secret !== "" && method !== "none" && { client_secret: config.client_secret }),
    ...(keys.length > 0 && { jwks: { keys }, token_endpoint_auth_signing_alg: config.client_public_key_algorithm }),
    ...addressesOf(config),
    token_endpoint_auth_method: method,
    application_type: isNative(config) ? "native" : "web",
    redirect_uris: usesCodes ? [...config.redirect_uris] : [],
    post_logout_redirect_uris: [...config.post_logout_redirect_uris],
    response_types: usesCodes ? ["code"] : [],
    grant_types: [...grantTypesOf(config)],
    id_token_signed_response_alg: config.id_token_signed_response_alg,
    require_pushed_authorization_requests: config.require_pushed_authorization_requests,
    dpop_bound_access_tokens: config.dpop_bound_access_tokens,
  };
}

function seconds(own: number, general: number): number {
  return Math.max(1, Math.round((own > 0 ? own : general) / 1000));
}

function policyOf(config: OidcClientConfig, { oidc, mfaPolicy }: OidcSettings): ClientPolicy {
  const { tokens, access_token_type } = oidc;
  const method = authMethodOf(config);
  const type = config.access_token_type === "" ? access_token_type : config.access_token_type;
  return {
    id: config.client_id,
    config,
    isPublic: method === "none",
    scopes: new Set([...config.scopes, ...config.custom_scopes.map(({ name }) => name)]),
    accessTokenType: type === "jwt" ? "jwt" : "opaque",
    accessTokenSeconds: seconds(config.access_token_lifetime, tokens.default_access_token_lifetime),
    refreshTokenSeconds: seconds(config.refresh_token_lifetime, tokens.default_refresh_token_lifetime),
    rotatesRefreshTokens: config.revoke_refresh_token && tokens.revoke_refresh_token,
    signature: config.id_token_signed_response_alg,
    demands: demandsOf(config, mfaPolicy),
    secretDigest: method !== "none" && config.client_secret !== "" ? digestOf(config.client_secret) : undefined,
    assertionKey: method === "private_key_jwt" ? publicKeyOf(config) : undefined,
  };
}

export function clientPolicies(settings: OidcSettings): ClientPolicies {
  return new Map(settings.oidc.clients.map((config) => [config.client_id, policyOf(config, settings)]));
}

const wayOut = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)|\\|%2f|%5c/i;

/** An address without credentials, fragment or way out of its path. */
function plainUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "" || url.hash !== "") return undefined;
  return wayOut.test(text.split("?", 1)[0] ?? "") ? undefined : url;
}

/** Whether a `*` at the end of a registered URI covers this one: same origin, on a border of the path, no way out of it. */
export function matchesWildcard(registered: string, asked: string): boolean {
  if (!registered.endsWith("*")) return false;
  const [pattern, url] = [URL.parse(registered.slice(0, -1)), plainUrl(asked)];
  if (pattern === null || url === undefined) return false;
  const base = pattern.pathname;
  if (pattern.protocol !== url.protocol || pattern.host !== url.host || !url.pathname.startsWith(base)) return false;
  return base.endsWith("/") || url.pathname.length === base.length || url.pathname[base.length] === "/";
}
