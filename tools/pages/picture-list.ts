import { fileURLToPath } from "node:url";

/** Where the pictures of all pages are. */
export const picturesFolder = fileURLToPath(new URL("../../docs/pages", import.meta.url));

export interface PicturedPage {
  readonly name: string;
  /** Its heading, in English. */
  readonly title: string;
}

const head = `# The pages

Every page that people see, with sample data: on a phone (390 px) and on a desk (1280 px), light and dark. Written by
\`make screenshots\`; \`GET /api/v1/dev/ui\` shows the same pages in every language. How a site changes them:
[sign-in-pages.md](../guides/sign-in-pages.md).
`;

/** The README beside the pictures. */
export function pictureList(pages: readonly PicturedPage[]): string {
  const parts = pages.map(({ name, title }) => `## ${name}\n\n![${title}](${name}.webp)\n`);
  return [head, ...parts].join("\n");
}

/** The heading of a page's HTML. */
export function headingOf(html: string): string {
  const [, heading = ""] = /<h1>([^<]*)<\/h1>/.exec(html) ?? [];
  return heading.replaceAll("&#39;", "'").replaceAll("&amp;", "&");
}
