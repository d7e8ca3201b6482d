import { writtenTag } from "@postern/shared/domain/localisation";
import { type Html, html, htmlText, icons } from "@postern/shared/platform/pages";
import type { Look, ScriptName } from "./look.ts";

function brandOf({ brand }: Look): Html {
  if (brand.logo !== undefined) {
    const logo = html`<img src="${brand.logo}" alt="${brand.name}">`;
    if (brand.logoDark === undefined) return html`<span class="brand">${logo}</span>`;
    return html`<span class="brand"><picture><source srcset="${brand.logoDark}" media="(prefers-color-scheme:dark)">${logo}</picture></span>`;
  }
  const [letter = ""] = brand.name;
  return html`<span class="brand"><span class="mark" aria-hidden="true">${letter.toUpperCase()}</span>${brand.name}</span>`;
}

function languageList({ language, languageLinks, text }: Look): Html | undefined {
  if (languageLinks.length < 2) return undefined;
  const items = languageLinks.map(({ language: { tag, name, direction }, href }) => {
    const written = writtenTag(tag);
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
  readonly scripts: readonly ScriptName[];
}

/** The whole document around a page's body. */
export function documentOf(look: Look, { title, body, scripts }: Document): string {
  const { language, brand } = look;
  return htmlText(html`<!doctype html>
<html lang="${writtenTag(language.tag)}" dir="${language.direction}">
<head>
<meta charset="utf-8">
<title>${title} – ${brand.name}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" href="${brand.icon}">
<link rel="stylesheet" href="${brand.stylesheet}">
${scripts.map((name) => html`<script src="${brand.scripts[name]}" defer></script>`)}
</head>
<body>
<header>${brandOf(look)}</header>
<main>${look.notices.length > 0 && html`<div class="done" role="status">${icons.tick}<div>${look.notices.map((notice) => html`<p>${notice}</p>`)}</div></div>`}${body}</main>
<footer>${languageList(look)}${footLinks(look)}</footer>
</body>
</html>
`);
}
