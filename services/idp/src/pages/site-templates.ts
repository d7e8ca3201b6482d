import { type Html, trustedHtml } from "@postern/shared/platform/pages";
import Mustache from "mustache";

import type { Look } from "./look.ts";
import { catalogues, isTextKey } from "./texts.ts";

function textsFor(look: Look, view: object): Readonly<Record<string, string>> {
  const values = Object.fromEntries(Object.entries(view).filter(([, value]) => typeof value === "string"));
  const keys = Object.keys(catalogues.en).filter(isTextKey);
  // A dot means member access in Mustache.
  return Object.fromEntries(
    keys.map((key) => [key.replace(".", "_"), look.text(key, { ...values, brand: look.brand.name })]),
  );
}

function parse(page: string, template: string): void {
  try {
    Mustache.parse(template);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "not Mustache";
    throw new SyntaxError(`${page}.mustache: ${reason}`, { cause });
  }
}

/**
 * A site's own bodies of pages, by page name, in Mustache: `{{…}}` escapes, and templates contain no code.
 * @throws Error at start for a template that is not valid Mustache
 */
export function createSiteTemplates(templates: ReadonlyMap<string, string>) {
  for (const [page, template] of templates) parse(page, template);
  return {
    render: (page: string, view: object, look: Look): Html | undefined => {
      const template = templates.get(page);
      if (template === undefined) return undefined;
      const { brand, language } = look;
      return trustedHtml(Mustache.render(template, { ...view, brand, language, text: textsFor(look, view) }));
    },
  };
}

export type SiteTemplates = ReturnType<typeof createSiteTemplates>;
