import { type Language, languageOf, languages } from "@postern/shared/domain/localisation";
import type { Config } from "@postern/shared/platform/config";
import { createAssets } from "./assets.ts";
import type { FootLink } from "./look.ts";
import { createPages, type Pages, type PagesSettings } from "./pages.ts";
import { readLogo, readTemplates } from "./site-files.ts";

function pagesSettings({ identity }: Config): PagesSettings {
  const { branding, links, localization } = identity.frontend;
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
    languages: localization.languages
      .map((tag) => languageOf(tag, languages))
      .filter((language): language is Language => language !== undefined),
    fallback,
  };
}

/** The pages with the languages, branding, logos and templates of the site. */
export function createSitePages(config: Config): Pages {
  const { branding, templates_folder: templates } = config.identity.frontend;
  return createPages(
    pagesSettings(config),
    createAssets({
      name: branding.name,
      accent: { light: branding.accent_color, dark: branding.accent_color_dark },
      logo: readLogo(branding.logo_file),
      logoDark: readLogo(branding.logo_file_dark),
      icon: readLogo(branding.icon_file),
    }),
    readTemplates(templates),
  );
}
