import { clientDefaults, type DynamicRegistrationConfig, type OidcClientConfig } from "@postern/shared/platform/config";
import type { Registration } from "./registration.ts";

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
