import type { Config } from "@postern/shared/platform/config";
import type { AccentColours } from "@postern/shared/platform/pages";
import type { SubjectRule } from "./login/subject.ts";
import type { WebauthnSettings } from "./mfa/webauthn/ceremonies.ts";
import { type Language, languageOf, languages } from "./pages/languages.ts";
import type { FootLink } from "./pages/look.ts";
import type { PagesSettings } from "./pages/pages.ts";
import type { SessionLives } from "./sessions/session-records-redis.ts";

export interface FrontendSettings {
  readonly enabled: boolean;
  readonly pages: PagesSettings;
  readonly accent: AccentColours;
  /** Paths; empty if not configured. */
  readonly files: { readonly logo: string; readonly logoDark: string; readonly icon: string };
  readonly templatesFolder: string;
  readonly lives: SessionLives;
  readonly totpSkew: number;
  /** The name that authenticator apps show. */
  readonly totpIssuer: string;
  readonly webauthn: WebauthnSettings;
  readonly maxFactorAttempts: number;
  /** Maximum number of concurrent delayed sign-ins per address. */
  readonly maxHeld: number;
  readonly maxFactorFailures: number;
  readonly subject: SubjectRule;
  readonly explainsNetworkBlock: boolean;
}

function pagesSettings({ identity }: Config): PagesSettings {
  const { branding, links, localization } = identity.frontend;
  const offered = localization.languages
    .map((tag) => languageOf(tag, languages))
    .filter((language): language is Language => language !== undefined);
  const fallback = languageOf(localization.default_language, languages);
  if (fallback === undefined) throw new RangeError(`no texts for ${localization.default_language}`);
  const footLinks: readonly FootLink[] = [
    { key: "common.support", url: links.support_url },
    { key: "common.privacy", url: links.privacy_policy_url },
    { key: "common.terms", url: links.terms_of_service_url },
  ];
  return {
    issuer: identity.oidc.issuer,
    managesSessions: identity.oidc.enabled && identity.oidc.session_management.enabled,
    name: branding.name,
    links: footLinks.filter(({ url }) => url !== ""),
    passwordForgotten: links.password_forgotten_url === "" ? undefined : links.password_forgotten_url,
    passwordChange: links.password_change_url || links.password_forgotten_url || undefined,
    languages: offered,
    fallback,
  };
}

/** Values that are not configured are derived from the issuer, whose host browsers see. */
function webauthnSettings({ identity }: Config): WebauthnSettings {
  const { rp_id, rp_display_name, rp_origins, resident_key, authenticator_attachment } = identity.mfa.webauthn;
  const issuer = new URL(identity.oidc.issuer);
  return {
    rpId: rp_id === "" ? issuer.hostname : rp_id,
    rpName: rp_display_name === "" ? identity.frontend.branding.name : rp_display_name,
    origins: rp_origins.length === 0 ? [issuer.origin] : rp_origins,
    residentKey: resident_key,
    attachment: authenticator_attachment === "" ? undefined : authenticator_attachment,
  };
}

/** The part of the configuration that the pages use. */
export function frontendSettings(config: Config): FrontendSettings {
  const { session, frontend, mfa } = config.identity;
  const { branding } = frontend;
  return {
    enabled: frontend.enabled,
    pages: pagesSettings(config),
    accent: { light: branding.accent_color, dark: branding.accent_color_dark },
    files: { logo: branding.logo_file, logoDark: branding.logo_file_dark, icon: branding.icon_file },
    templatesFolder: frontend.templates_folder,
    lives: { absoluteMs: session.lifetime, idleMs: session.idle_timeout, rememberMs: session.remember_me_ttl },
    totpSkew: mfa.totp.skew,
    totpIssuer: mfa.totp.issuer === "" ? branding.name : mfa.totp.issuer,
    webauthn: webauthnSettings(config),
    maxHeld: config.auth.controls.brute_force.account_delay.max_waiting,
    maxFactorAttempts: mfa.totp.max_attempts,
    maxFactorFailures: mfa.totp.max_failures,
    subject: config.identity.subject,
    explainsNetworkBlock: frontend.explain_network_block,
  };
}
