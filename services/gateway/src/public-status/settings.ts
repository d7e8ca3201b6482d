import type { Config } from "@postern/shared/platform/config";
import type { StatusPageSettings } from "./status-page.ts";

export interface PublicStatusSettings extends StatusPageSettings {
  /** The services behind the gateway that a sign-in needs. */
  readonly needed: readonly string[];
}

/** Undefined if `runtime.servers.http.public_status` is off. */
export function publicStatusSettings({ runtime, identity }: Config): PublicStatusSettings | undefined {
  if (!runtime.servers.http.public_status) return undefined;
  const { frontend, oidc, saml } = identity;
  const { name: brand, accent_color: light, accent_color_dark: dark } = frontend.branding;
  // A site without sign-in pages and protocols runs no identity provider.
  const hasIdp = frontend.enabled || oidc.enabled || saml.enabled;
  return { brand, accent: { light, dark }, needed: ["auth-engine", ...(hasIdp ? ["idp"] : [])] };
}
