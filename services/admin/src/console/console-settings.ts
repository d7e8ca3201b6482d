import type { ConsoleRole } from "@postern/shared/contracts";
import type { Config } from "@postern/shared/platform/config";
import { Secret } from "@postern/shared/platform/crypto";

/** Settings of the console that last until the service ends. Undefined if it has no listener. */
export function consoleSettings({ runtime, identity }: Config) {
  const { console: own, servers, services } = runtime;
  if (servers.http.console_address.length === 0) return undefined;
  const client = identity.oidc.clients.find(({ client_id }) => client_id === own.client_id);
  const { branding } = identity.frontend;
  return {
    origin: new URL(own.url).origin,
    issuer: identity.oidc.issuer,
    clientId: own.client_id,
    clientSecret: new Secret(client?.client_secret ?? ""),
    accountClaim: own.account_claim,
    /** The name of the site. */
    name: branding.name,
    accent: { light: branding.accent_color, dark: branding.accent_color_dark },
    idpUrl: services.idp.url,
    assertionTtlSeconds: Math.ceil(services.caller_assertion.ttl / 1000),
  };
}

/** The part of `runtime.console` that a reload replaces. */
export function liveConsoleSettings({ runtime, identity }: Config) {
  const { role_attribute: attribute, roles, backends, helpdesk_resets_factors: resetsFactors } = runtime.console;
  const { helpdesk, security, admin }: Readonly<Record<ConsoleRole, readonly string[]>> = roles;
  return {
    roles: { attribute, roles: { helpdesk, security, admin }, backends: backends.map((entry) => entry.trim()) },
    helpdesk: { resetsFactors, offersLostPhone: identity.mfa.lost_phone.enabled },
  };
}
