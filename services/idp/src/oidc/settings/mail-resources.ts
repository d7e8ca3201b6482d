import { pathTo } from "@postern/shared/contracts";
import { mailScopes } from "@postern/shared/platform/config";
import type { OidcSettings } from "./oidc-settings.ts";

/** The resources that mail clients may name: the site itself, and its mail services. */
export function mailResources({ issuer, oidc, mailHosts }: OidcSettings): readonly string[] {
  const { mail_registration: mail } = oidc;
  return mail.enabled ? [...new Set([issuer, ...mail.resources, ...mailHosts])] : [];
}

/** Members of the metadata of the authorization server (RFC 8414 §2, RFC 9728 §4). */
export function registrationSupport(settings: OidcSettings): Readonly<Record<string, unknown>> {
  const { mail_registration: mail, dynamic_registration: full } = settings.oidc;
  if (!mail.enabled && !full.enabled) return {};
  return {
    registration_endpoint: `${settings.issuer}${pathTo("registerClient")}`,
    ...(mail.enabled && { protected_resources: mailResources(settings) }),
  };
}

/** Metadata of the mail services as a protected resource (RFC 9728 §2); undefined while mail clients cannot register. */
export function protectedResource({ issuer, oidc }: OidcSettings): Readonly<Record<string, unknown>> | undefined {
  const { mail_registration: mail } = oidc;
  if (!mail.enabled) return undefined;
  return {
    resource: issuer,
    authorization_servers: [issuer],
    scopes_supported: [...mailScopes(mail).map(({ name }) => name), "offline_access"],
    bearer_methods_supported: ["header"],
  };
}
