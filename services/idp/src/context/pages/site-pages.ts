import type { FrontendSettings } from "../../frontend-settings.ts";
import { createAssets } from "../../pages/assets.ts";
import { createPages, type Pages } from "../../pages/pages.ts";
import { readLogo, readTemplates } from "../../pages/site-files.ts";

/** The pages with the logos and templates of the site. */
export function createSitePages(settings: FrontendSettings): Pages {
  return createPages(
    settings.pages,
    createAssets({
      name: settings.pages.name,
      accent: settings.accent,
      logo: readLogo(settings.files.logo),
      logoDark: readLogo(settings.files.logoDark),
      icon: readLogo(settings.files.icon),
    }),
    readTemplates(settings.templatesFolder),
  );
}
