import { type Html, html, htmlText } from "./html.ts";
import { icons } from "./icons.ts";
import { writtenTag } from "./languages.ts";
import type { Look } from "./look.ts";

function brandOf({ brand }: Look): Html {
  if (brand.logo !== undefined) {
    return html`<span class="brand"><img src="${brand.logo}" alt="${brand.name}"></span>`;
  }
  const [letter = ""] = brand.name;
  return html`<span class="brand"><span class="mark" aria-hidden="true">${letter.toUpperCase()}</span>${brand.name}</span>`;
}

function languageList({ language, languageLinks, text }: Look): Html | undefined {
  if (languageLinks.length < 2) return undefined;
  const items = languageLinks.map(({ language: { tag, name, direction }, href }) => {
    const written = writtenTag({ tag });
    const current = tag === language.tag && html` aria-current="true"`;
    return html`<li><a href="${href}" hreflang="${written}" lang="${written}" dir="${direction}"${current}>${name}</a></li>`;
  });
  return html`<details><summary>${icons.globe}<span><span class="hidden">${text("common.language")}: </span>${
    language.name
  }</span></summary><ul>${items}</ul></details>`;
}

function footLinks({ brand, text }: Look): readonly Html[] {
  return brand.links.map(({ key, url }) => html`<a href="${url}" rel="noopener">${text(key)}</a>`);
}

export interface Document {
  readonly title: string;
  readonly body: Html;
  readonly script: boolean;
}

/** The whole document around a page's body. */
export function documentOf(look: Look, { title, body, script }: Document): string {
  const { language, brand } = look;
  return htmlText(html`<!doctype html>
<html lang="${writtenTag(language)}" dir="${language.direction}">
<head>
<meta charset="utf-8">
<title>${title} – ${brand.name}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${brand.stylesheet}">
${script && html`<script src="${brand.script}" defer></script>`}
</head>
<body>
<header>${brandOf(look)}</header>
<main>${body}</main>
<footer>${languageList(look)}${footLinks(look)}</footer>
</body>
</html>
`);
}
