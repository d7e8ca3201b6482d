import { clientDefaults, type MailRegistrationConfig, type OidcClientConfig } from "@postern/shared/platform/config";
import { permittedScopes } from "./mail-profile.ts";
import type { Registration } from "./registration.ts";

/** A registered mail client as the configuration would describe it: public, with PKCE, consent and rotation. */
export function mailClientConfig(
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
