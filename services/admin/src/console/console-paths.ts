import { consolePages, operation, pathTo } from "@postern/shared/contracts";

const firstPage = pathTo("consoleOverview");
/** The page of a network is not in the navigation. */
const pages: ReadonlySet<string> = new Set([
  ...Object.values(consolePages).map((page) => operation(page.operation).path),
  pathTo("consoleNetwork"),
]);

/** A page of the console to which a link or form may lead back; anything else is the first page. */
export function pageWithin(origin: string, text: string | null | undefined): string {
  const url = text === null || text === undefined ? null : URL.parse(text, origin);
  if (url === null || url.origin !== origin || text?.startsWith("/") !== true) return firstPage;
  return pages.has(url.pathname) ? `${url.pathname}${url.search}` : firstPage;
}
