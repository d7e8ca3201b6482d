import { createHmac } from "node:crypto";
import {
  clientDefaults,
  type DynamicRegistrationConfig,
  type MailRegistrationConfig,
  type OidcClientConfig,
} from "@postern/shared/platform/config";
import { type ClientPolicies, type ClientPolicy, policyOf } from "../clients/clients.ts";
import type { OidcSettings } from "../settings/oidc-settings.ts";
import { clientResponseTypes } from "../settings/response-types.ts";
import type { OwnNames } from "./look-alike.ts";
import { permittedScopes } from "./mail-profile.ts";
import { kindOfId, type Registration, shownName } from "./registration.ts";

/**
 * A client of dynamic registration as the configuration would describe it. What the site has withdrawn since the
 * registration is not granted any more; undefined if nothing is left.
 */
export function fullClientConfig(
  registration: Registration,
  settings: DynamicRegistrationConfig,
  name: string,
): OidcClientConfig | undefined {
  const { id, redirectUris, scopes, full } = registration;
  if (full === undefined) return undefined;
  const { metadata, secret = "" } = full;
  const grants = metadata.grantTypes.filter((grant) => settings.grant_types.includes(grant));
  const isPermitted = settings.token_endpoint_auth_methods.includes(metadata.authMethod);
  if (!isPermitted || grants.length === 0) return undefined;
  const { requestObjectAlgorithm: registered, requiresSignedRequests } = metadata;
  const mayOmitSignature = registered === "" && settings.unsigned_request_objects && !requiresSignedRequests;
  const objectAlgorithm = mayOmitSignature ? "any" : registered;
  return {
    ...clientDefaults,
    client_id: id,
    name,
    client_secret: secret,
    token_endpoint_auth_method: metadata.authMethod,
    redirect_uris: [...redirectUris],
    post_logout_redirect_uris: [...metadata.postLogoutRedirectUris],
    grant_types: grants,
    scopes: scopes.filter((scope) => settings.scopes.includes(scope)),
    jwks: metadata.jwks,
    jwks_uri: metadata.jwksUri,
    policy_uri: metadata.policyUri,
    tos_uri: metadata.tosUri,
    initiate_login_uri: metadata.initiateLoginUri,
    id_token_signed_response_alg: metadata.idTokenAlgorithm,
    authorization_signed_response_alg: metadata.idTokenAlgorithm,
    userinfo_signed_response_alg: metadata.userinfoAlgorithm ?? "",
    default_max_age: (metadata.defaultMaxAge ?? 0) * 1000,
    request_object_signing_alg: objectAlgorithm,
    request_uris: settings.request_uris ? [...(metadata.requestUris ?? [])] : [],
    require_signed_request_object: metadata.requiresSignedRequests,
    require_pushed_authorization_requests: metadata.requiresPushedRequests,
    dpop_bound_access_tokens: metadata.requiresDpop,
  };
}

/** A registered mail client as the configuration would describe it: public, with PKCE, consent and rotation. */
function mailClientConfig(
  registration: Registration,
  settings: MailRegistrationConfig,
  name: string,
): OidcClientConfig {
  const permitted = permittedScopes(settings);
  const { id, redirectUris, scopes } = registration;
  return {
    ...clientDefaults,
    client_id: id,
    name,
    token_endpoint_auth_method: "none",
    redirect_uris: redirectUris,
    // What the site has withdrawn since the registration is not granted any more.
    scopes: scopes.filter((scope) => permitted.includes(scope)),
    require_pkce: true,
    access_token_type: settings.access_token_type,
    access_token_lifetime: settings.access_token_lifetime,
    refresh_token_lifetime: settings.refresh_token_lifetime,
    require_mfa: settings.require_mfa,
    consent_mode: "all_or_nothing",
  };
}

/** Requests that authenticate and the provider that serves them read the client separately: both see the same secret. */
function innerSecretOf(policy: ClientPolicy, innerKey: Buffer): string | undefined {
  if (policy.innerSecret === undefined) return undefined;
  return createHmac("sha256", innerKey).update(policy.id).digest("base64url");
}

/** The names that no client which registered itself is shown with. */
export function ownNames({ siteNames, oidc }: Pick<OidcSettings, "siteNames" | "oidc">): OwnNames {
  return { site: siteNames, applications: oidc.clients.map(({ name }) => name) };
}

function nameOf(registration: Registration, settings: OidcSettings): string {
  return shownName(registration, ownNames(settings));
}

function mailPolicy(registration: Registration, settings: OidcSettings): ClientPolicy | undefined {
  const { mail_registration: mail } = settings.oidc;
  if (!mail.enabled) return undefined;
  const policy = policyOf(mailClientConfig(registration, mail, nameOf(registration, settings)), settings);
  return { ...policy, audience: mail.audience, applicationType: "native" };
}

function fullPolicy(registration: Registration, settings: OidcSettings): ClientPolicy | undefined {
  const { dynamic_registration: full } = settings.oidc;
  const config = full.enabled ? fullClientConfig(registration, full, nameOf(registration, settings)) : undefined;
  if (config === undefined) return undefined;
  const policy = policyOf(config, settings);
  const { applicationType, implicitTypes = [] } = registration.full?.metadata ?? {};
  const responseTypes = clientResponseTypes(config, settings.oidc, implicitTypes);
  return { ...policy, applicationType, responseTypes };
}

/**
 * What a registration permits; undefined if the site does not permit it any more.
 *
 * @param innerKey random, of this process
 */
export function registeredPolicy(
  registration: Registration,
  settings: OidcSettings,
  innerKey: Buffer,
): ClientPolicy | undefined {
  const policy = (kindOfId(registration.id) === "full" ? fullPolicy : mailPolicy)(registration, settings);
  if (policy === undefined) return undefined;
  return {
    ...policy,
    rotatesRefreshTokens: true,
    isRegistered: true,
    innerSecret: innerSecretOf(policy, innerKey),
  };
}

/** @returns why the site does not permit a response type that the client asks for; undefined if it permits all */
export function withdrawnType(
  { full }: Pick<Registration, "full">,
  { responseTypes }: Pick<ClientPolicy, "responseTypes">,
): string | undefined {
  const permitted: ReadonlySet<string> = new Set(responseTypes);
  const foreign = full?.metadata.implicitTypes?.find((type) => !permitted.has(type));
  return foreign === undefined ? undefined : `the response type ${foreign} is not permitted`;
}

/**
 * Adds the clients that registered themselves: those that have been read for a request in progress. A configured client
 * takes precedence, and no client is registered while the site does not permit it.
 */
export function withRegistered(
  configured: ClientPolicies,
  recent: (id: string) => Registration | undefined,
  policyOfRegistration: (registration: Registration) => ClientPolicy | undefined,
): ClientPolicies {
  const known = new WeakMap<Registration, { readonly policy: ClientPolicy | undefined }>();
  const registered = (id: string): ClientPolicy | undefined => {
    const registration = recent(id);
    if (registration === undefined) return undefined;
    const entry = known.get(registration) ?? { policy: policyOfRegistration(registration) };
    known.set(registration, entry);
    return entry.policy;
  };
  const get = (id: string): ClientPolicy | undefined => configured.get(id) ?? registered(id);
  return { get, has: (id) => get(id) !== undefined, keys: () => configured.keys(), values: () => configured.values() };
}
