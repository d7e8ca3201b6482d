import { mailScopes, type OidcClientConfig } from "@postern/shared/platform/config";
import type { OidcSettings } from "../settings/oidc-settings.ts";

/** A scope on the consent page. */
export interface DescribedScope {
  readonly name: string;
  /** The description from the configuration. */
  readonly description: string | undefined;
  readonly optional: boolean;
}

/** Whether a user may deselect a scope (behaviour reference §1.7): in granular mode all but openid and required ones. */
function isOptional({ oidc }: OidcSettings, client: OidcClientConfig | undefined, name: string): boolean {
  if (client === undefined || name === "openid") return false;
  const { consent_mode: own, required_scopes: required, optional_scopes: optional } = client;
  const mode = own === "" ? oidc.consent.mode : own;
  return mode === "granular_optional" && !required.includes(name) && (optional.length === 0 || optional.includes(name));
}

export function describeScope(settings: OidcSettings, clientId: string, name: string): DescribedScope {
  const { oidc } = settings;
  const client = oidc.clients.find(({ client_id: id }) => id === clientId);
  const { mail_registration: mail, custom_scopes: ofSite } = oidc;
  const described = [...(client?.custom_scopes ?? []), ...ofSite, ...(mail.enabled ? mailScopes(mail) : [])];
  const custom = described.find((scope) => scope.name === name);
  const description = custom === undefined || custom.description === "" ? undefined : custom.description;
  return { name, description, optional: isOptional(settings, client, name) };
}
