import type { Config } from "@postern/shared/config";
import { type Language, languageOf, languages } from "./pages/languages.ts";
import type { FootLink } from "./pages/look.ts";
import type { PagesSettings } from "./pages/pages.ts";
import type { AccentColours } from "./pages/stylesheet.ts";
import type { SessionLives } from "./sessions/session-store.ts";

export interface FrontendSettings {
  readonly enabled: boolean;
  readonly pages: PagesSettings;
  readonly accent: AccentColours;
  readonly logoFile: string;
  readonly templatesFolder: string;
  readonly lives: SessionLives;
  readonly totpSkew: number;
  readonly maxFactorAttempts: number;
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
    name: branding.name,
    links: footLinks.filter(({ url }) => url !== ""),
    passwordForgotten: links.password_forgotten_url === "" ? undefined : links.password_forgotten_url,
    languages: offered,
    fallback,
  };
}

/** What the pages take of the configuration. */
export function frontendSettings(config: Config): FrontendSettings {
  const { session, frontend, mfa } = config.identity;
  const { branding } = frontend;
  return {
    enabled: frontend.enabled,
    pages: pagesSettings(config),
    accent: { light: branding.accent_color, dark: branding.accent_color_dark },
    logoFile: branding.logo_file,
    templatesFolder: frontend.templates_folder,
    lives: { absoluteMs: session.lifetime, idleMs: session.idle_timeout, rememberMs: session.remember_me_ttl },
    totpSkew: mfa.totp.skew,
    maxFactorAttempts: mfa.totp.max_attempts,
  };
}
