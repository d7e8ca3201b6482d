import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pageList } from "./page-list.ts";
import { createSiteTemplates, type SiteTemplates } from "./site-templates.ts";

/**
 * Reads `<page>.mustache` files. An unknown page name is rejected, because the mistake would otherwise go unnoticed.
 *
 * @throws Error for a folder or file that cannot be read, a page that does not exist, or invalid Mustache
 */
export function readTemplates(folder: string): SiteTemplates {
  if (folder === "") return createSiteTemplates(new Map());
  const files = readdirSync(folder).filter((file) => file.endsWith(".mustache"));
  const templates = files.map((file) => {
    const name = file.slice(0, -".mustache".length);
    if (!pageList.some((page) => page.name === name))
      throw new RangeError(`${join(folder, file)}: there is no page named ${name}`);
    return [name, readFileSync(join(folder, file), "utf8")] as const;
  });
  return createSiteTemplates(new Map(templates));
}
