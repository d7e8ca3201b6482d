import { type Language, languageOf, languages } from "@postern/shared/domain/localisation";
import type { Config, DomainRecordConfig } from "@postern/shared/platform/config";
import type { Logger } from "@postern/shared/platform/logging";
import { createAssets } from "./assets.ts";
import { DomainBrands, footLinks, passwordLinks } from "./domain-brands.ts";
import { readLogo } from "./logo-files.ts";
import { createPages, type Pages, type PagesSettings } from "./pages.ts";
import { readTemplates } from "./site-files.ts";

/** The language of the site, for browsers that prefer none of those offered, and for what has no page. */
export function ownLanguage({ localization }: Config["identity"]["frontend"]): Language {
  const own = languageOf(localization.default_language, languages);
  if (own === undefined) throw new RangeError(`no texts for ${localization.default_language}`);
  return own;
}

function pagesSettings({ identity }: Config): PagesSettings {
  const { branding, links, localization } = identity.frontend;
  return {
    issuer: identity.oidc.issuer,
    managesSessions: identity.oidc.enabled && identity.oidc.session_management.enabled,
    name: branding.name,
    links: footLinks(links),
    ...passwordLinks(links),
    languages: localization.languages
      .map((tag) => languageOf(tag, languages))
      .filter((language): language is Language => language !== undefined),
    fallback: ownLanguage(identity.frontend),
  };
}

/**
 * The pages with the languages, branding, logos and templates of the site, and the brands of its domains.
 *
 * @param recordOf the record of a name's domain
 */
export function createSitePages(
  config: Config,
  recordOf: (name: string) => Promise<DomainRecordConfig | undefined>,
  logger: Logger,
): Pages {
  const settings = pagesSettings(config);
  const brands = new DomainBrands({ recordOf, site: config.identity.frontend, offered: settings.languages, logger });
  const { branding, templates_folder: templates } = config.identity.frontend;
  return createPages(
    { ...settings, brands },
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
