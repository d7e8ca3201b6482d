import type { OidcSettings } from "./oidc-settings.ts";

/** A scope as the consent page shows it. */
export interface DescribedScope {
  readonly name: string;
  /** The site's own words. */
  readonly description: string | undefined;
  readonly optional: boolean;
}

/** What a user may leave out (behaviour reference §1.7): in the granular mode all but openid and what is required. */
export function describeScope({ oidc }: OidcSettings, clientId: string, name: string): DescribedScope {
  const client = oidc.clients.find(({ client_id: id }) => id === clientId);
  const own = client?.custom_scopes.find((scope) => scope.name === name);
  const custom = own ?? oidc.custom_scopes.find((scope) => scope.name === name);
  const told = client?.consent_mode ?? "";
  const mode = told === "" ? oidc.consent.mode : told;
  const { required_scopes: required = [], optional_scopes: optional = [] } = client ?? {};
  const isListed = optional.length === 0 || optional.includes(name);
  return {
    name,
    description: custom === undefined || custom.description === "" ? undefined : custom.description,
    optional: mode === "granular_optional" && name !== "openid" && !required.includes(name) && isListed,
  };
}
