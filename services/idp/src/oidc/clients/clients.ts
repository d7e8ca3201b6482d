import { randomBytes } from "node:crypto";
import type { OidcClientConfig } from "@postern/shared/platform/config";
import { digestOf } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import type { ClientMetadata } from "oidc-provider";
import { type DomainLimit, domainLimit } from "../../domains/account-domains.ts";
import { demandsOf, type SignInDemands } from "../../second-factors/sign-in-demands.ts";
import { type ClientClaims, clientClaims } from "../claims/client-claims.ts";
import type { OidcSettings } from "../settings/oidc-settings.ts";
import { clientResponseTypes, type ResponseType } from "../settings/response-types.ts";
import { statedType } from "./address-rules.ts";
import type { ClientKeySets } from "./client-key-sets.ts";
import { type ClientKey, configuredKeys } from "./client-keys.ts";

/** A client as our own rules see it; the protocol's view is its metadata. */
export interface ClientPolicy {
  readonly id: string;
  readonly config: OidcClientConfig;
  readonly isPublic: boolean;
  readonly responseTypes: readonly ResponseType[];
  readonly scopes: ReadonlySet<string>;
  readonly claims: ClientClaims;
  readonly accessTokenType: "opaque" | "jwt";
  readonly accessTokenSeconds: number;
  readonly refreshTokenSeconds: number;
  readonly rotatesRefreshTokens: boolean;
  readonly signature: string;
  readonly demands: SignInDemands;
  /** Whose users may use it. */
  readonly limit: DomainLimit;
  readonly secretDigest: Buffer | undefined;
  readonly signsAssertions: boolean;
  /** Authenticates by a certificate (RFC 8705 §2). */
  readonly usesCertificate: boolean;
  /** The configured keys, which verify assertions and request objects. */
  readonly keys: readonly ClientKey[];
  /**
   * The secret under which the provider knows a client that signs assertions or presents certificates. We check both
   * ourselves, the same way at every path, and pass the request on with this secret, which is random and never leaves this process.
   */
  readonly innerSecret: string | undefined;
  /** Audience of its users' tokens, whatever their format; undefined: the client itself. */
  readonly audience: string | undefined;
  /** `application_type` as the site or the registration states it; otherwise each redirect URI has its own rule. */
  readonly applicationType: "web" | "native" | undefined;
  /** Whether the client registered itself, so that its name is unverified. */
  readonly isRegistered: boolean;
}

/** The policy of a client; one that registered itself is read first, which rejects without Redis. */
export type FindPolicy = (id: string) => Promise<ClientPolicy | undefined>;

/** How a request authenticates a client: why it is refused, for the log, and the claimed client id. */
export type Authenticated<Refusal> =
  | { readonly outcome: "client"; readonly policy: ClientPolicy }
  | { readonly outcome: "refused"; readonly reason: Refusal; readonly client: string | undefined };

/** The published keys that a client's `jwks_uri` leads to. */
export type KeySetsOf = (policy: Pick<ClientPolicy, "isRegistered">) => ClientKeySets;

export type ClientPolicies = Pick<ReadonlyMap<string, ClientPolicy>, "get" | "has" | "keys" | "values">;

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

export function authMethodOf(config: OidcClientConfig): Exclude<OidcClientConfig["token_endpoint_auth_method"], ""> {
  const { token_endpoint_auth_method: method, client_secret } = config;
  if (method !== "") return method;
  return client_secret === "" ? "none" : "client_secret_basic";
}

function grantTypesOf({ config, responseTypes }: ClientPolicy): readonly string[] {
  const { scopes, always_issue_refresh_token } = config;
  const usesImplicit = responseTypes.some((type) => type !== "code");
  const grant_types = config.grant_types.filter((grant) => grant !== "implicit" || usesImplicit);
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
  const configured = Object.entries({ policy_uri, tos_uri, logo_uri, backchannel_logout_uri }).filter(
    ([, uri]) => uri !== "",
  );
  return {
    ...Object.fromEntries(configured),
    ...(backchannel_logout_uri !== "" && { backchannel_logout_session_required: true }),
  };
}

type Credentials = Pick<ClientMetadata, "client_secret" | "token_endpoint_auth_method">;

function credentialsOf({ config, innerSecret }: ClientPolicy): Credentials {
  if (innerSecret !== undefined)
    return { client_secret: innerSecret, token_endpoint_auth_method: "client_secret_post" };
  const method = authMethodOf(config);
  const { client_secret } = config;
  return {
    ...(client_secret !== "" && method !== "none" && { client_secret }),
    token_endpoint_auth_method: method,
  };
}

/** The client's registration (OpenID Connect Registration §2) for the provider. */
export function clientMetadata(
  policy: ClientPolicy,
  { certificates }: Pick<OidcSettings, "certificates">,
): ClientMetadata {
  const { config } = policy;
  return {
    client_id: config.client_id,
    ...(config.name !== "" && { client_name: config.name }),
    ...credentialsOf(policy),
    ...addressesOf(config),
    ...(policy.applicationType !== undefined && { [statedType]: policy.applicationType }),
    redirect_uris: [...config.redirect_uris],
    post_logout_redirect_uris: [...config.post_logout_redirect_uris],
    response_types: [...policy.responseTypes],
    grant_types: [...grantTypesOf(policy)],
    id_token_signed_response_alg: config.id_token_signed_response_alg || "RS256",
    authorization_signed_response_alg: config.authorization_signed_response_alg || "RS256",
    ...(config.userinfo_signed_response_alg !== "" && {
      userinfo_signed_response_alg: config.userinfo_signed_response_alg,
    }),
    // The unit of the standard is a second.
    ...(config.default_max_age > 0 && { default_max_age: Math.max(1, Math.round(config.default_max_age / 1000)) }),
    require_pushed_authorization_requests: config.require_pushed_authorization_requests,
    dpop_bound_access_tokens: config.dpop_bound_access_tokens,
    ...(certificates && {
      tls_client_certificate_bound_access_tokens: config.tls_client_certificate_bound_access_tokens,
    }),
  };
}

/** A lifetime of the client in seconds, or else that of the site. */
export function lifeSeconds(own: number, general: number): number {
  return Math.max(1, Math.round((own > 0 ? own : general) / 1000));
}

/** @throws when a key of the client cannot be read */
export function policyOf(config: OidcClientConfig, { oidc, mfaPolicy }: OidcSettings): ClientPolicy {
  const { tokens, access_token_type } = oidc;
  const method = authMethodOf(config);
  const usesCertificate = method === "tls_client_auth" || method === "self_signed_tls_client_auth";
  const isCheckedByUs = usesCertificate || method === "private_key_jwt";
  const type = config.access_token_type === "" ? access_token_type : config.access_token_type;
  return {
    id: config.client_id,
    config,
    isPublic: method === "none",
    responseTypes: clientResponseTypes(config, oidc),
    scopes: new Set([...config.scopes, ...config.custom_scopes.map(({ name }) => name)]),
    claims: clientClaims(oidc, config),
    accessTokenType: type === "jwt" ? "jwt" : "opaque",
    accessTokenSeconds: lifeSeconds(config.access_token_lifetime, tokens.default_access_token_lifetime),
    refreshTokenSeconds: lifeSeconds(config.refresh_token_lifetime, tokens.default_refresh_token_lifetime),
    rotatesRefreshTokens: config.revoke_refresh_token && tokens.revoke_refresh_token,
    signature: config.id_token_signed_response_alg || "RS256",
    demands: demandsOf(config, mfaPolicy),
    limit: domainLimit(config.domains),
    secretDigest:
      method !== "none" && !isCheckedByUs && config.client_secret !== "" ? digestOf(config.client_secret) : undefined,
    signsAssertions: method === "private_key_jwt",
    keys: configuredKeys(config),
    usesCertificate,
    innerSecret: isCheckedByUs ? randomBytes(32).toString("base64url") : undefined,
    audience: undefined,
    applicationType: config.application_type === "" ? undefined : config.application_type,
    isRegistered: false,
  };
}

/** @throws AppError CONFIG_INVALID naming the client whose key cannot be read */
export function clientPolicies(settings: OidcSettings): ClientPolicies {
  return new Map(
    settings.oidc.clients.map((config) => {
      const { client_id: id } = config;
      try {
        return [id, policyOf(config, settings)];
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        throw new AppError("CONFIG_INVALID", {
          detail: `identity.oidc.clients: the keys of ${id}: ${why}`,
          cause: error,
        });
      }
    }),
  );
}

const wayOut = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)|\\|%2f|%5c/i;

/** A URL without credentials, fragment or path traversal. */
function plainUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "" || url.hash !== "") return undefined;
  return wayOut.test(text.split("?", 1)[0] ?? "") ? undefined : url;
}

/** Whether a registered URI that ends with `*` covers this one: same origin, at a path boundary, without path traversal. */
export function matchesWildcard(registered: string, requested: string): boolean {
  if (!registered.endsWith("*")) return false;
  const [pattern, url] = [URL.parse(registered.slice(0, -1)), plainUrl(requested)];
  if (pattern === null || url === undefined) return false;
  const base = pattern.pathname;
  if (pattern.protocol !== url.protocol || pattern.host !== url.host || !url.pathname.startsWith(base)) return false;
  return base.endsWith("/") || url.pathname.length === base.length || url.pathname[base.length] === "/";
}
