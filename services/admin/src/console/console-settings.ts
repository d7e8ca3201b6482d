import type { ConsoleRole, HelpdeskRule } from "@postern/shared/contracts";
import type { Config } from "@postern/shared/platform/config";
import { Secret } from "@postern/shared/platform/crypto";
import type { AccentColours } from "@postern/shared/platform/pages";
import type { RoleSettings } from "../operators/operator-right.ts";

/** Settings of the console that last until the service ends. */
export interface ConsoleSettings {
  readonly origin: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  readonly accountClaim: string;
  /** The name of the site. */
  readonly name: string;
  readonly accent: AccentColours;
  readonly idpUrl: string;
  readonly assertionTtlSeconds: number;
}

/** Undefined if the console has no listener. */
export function consoleSettings({ runtime, identity }: Config): ConsoleSettings | undefined {
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
    name: branding.name,
    accent: { light: branding.accent_color, dark: branding.accent_color_dark },
    idpUrl: services.idp.url,
    assertionTtlSeconds: Math.ceil(services.caller_assertion.ttl / 1000),
  };
}

/** The part of `runtime.console` that a reload replaces. */
export interface LiveConsoleSettings {
  readonly roles: RoleSettings;
  readonly helpdesk: HelpdeskRule;
}

export function liveConsoleSettings({ runtime, identity }: Config): LiveConsoleSettings {
  const { role_attribute: attribute, roles, backends, helpdesk_resets_factors: resetsFactors } = runtime.console;
  const { helpdesk, security, admin }: Readonly<Record<ConsoleRole, readonly string[]>> = roles;
  return {
    roles: { attribute, roles: { helpdesk, security, admin }, backends: backends.map((entry) => entry.trim()) },
    helpdesk: { resetsFactors, offersLostPhone: identity.mfa.lost_phone.enabled },
  };
}
