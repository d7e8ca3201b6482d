import { createHash } from "node:crypto";
import { isLanguageTag, lookUpLanguage, negotiateLanguage, writtenTag } from "@postern/shared/domain/localisation";
import { type AccentColours, html, htmlText, icons, stylesheetOf, trustedHtml } from "@postern/shared/platform/pages";
import type { PublicStatus } from "./public-status.ts";
import statusTexts from "./status-texts.json" with { type: "json" };

type StatusTexts = (typeof statusTexts)["en"];
const textsOf: Readonly<Record<string, StatusTexts>> = statusTexts;

const tags = Object.keys(statusTexts);

/** The language of the path, or that of the browser, or English; undefined if the path has no language tag in its place. */
export function languageOf(named: string | undefined, acceptLanguage: string | undefined): string | undefined {
  if (named !== undefined && !isLanguageTag(named)) return undefined;
  const chosen = named === undefined ? undefined : lookUpLanguage(named, tags);
  return chosen ?? negotiateLanguage(acceptLanguage, tags) ?? "en";
}

/** The customers' time zone is unknown, and the page runs no script. */
function utcTime(tag: string, ms: number): string {
  const words = new Intl.DateTimeFormat(writtenTag(tag), {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: "UTC",
    numberingSystem: "latn",
  });
  return `${words.format(ms)} UTC`;
}

function message(tag: string, texts: StatusTexts, { degradedSinceMs: ms }: PublicStatus) {
  if (ms === undefined) {
    return html`<div class="sign good">${icons.tick}</div>
<h1>${texts.works}</h1>
<p class="lead">${texts.worksText}</p>`;
  }
  const [before = "", after = ""] = texts.since.split("{time}");
  return html`<div class="sign bad">${icons.clock}</div>
<h1>${texts.degraded}</h1>
<p><strong>${before}<time datetime="${new Date(ms).toISOString()}">${utcTime(tag, ms)}</time>${after}</strong></p>
<p class="lead">${texts.degradedText}</p>`;
}

/** In the style of the sign-in pages, but in one piece: their stylesheet is served by a service that may be down. */
export function createStatusPages({ brand, accent }: { readonly brand: string; readonly accent: AccentColours }) {
  const style = stylesheetOf(accent);
  const digest = createHash("sha256").update(style).digest("base64");
  const [letter = ""] = brand;
  // At most one for each language: a status is rendered once, however many customers ask.
  const rendered = new Map<string, { readonly ms: number | undefined; readonly page: string }>();
  return {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": `default-src 'none'; style-src 'sha256-${digest}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
    },
    /** The page in one of the languages; undefined for another one. */
    render: (tag: string, status: PublicStatus): string | undefined => {
      const { [tag]: texts } = textsOf;
      if (texts === undefined) return undefined;
      const ms = status.degradedSinceMs;
      const known = rendered.get(tag);
      if (known !== undefined && known.ms === ms) return known.page;
      const page = htmlText(html`<!doctype html>
<html lang="${writtenTag(tag)}" dir="${tag === "ar" ? "rtl" : "ltr"}">
<head>
<meta charset="utf-8">
<title>${ms === undefined ? texts.works : texts.degraded} – ${brand}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<style>${trustedHtml(style)}</style>
</head>
<body>
<header><span class="brand"><span class="mark" aria-hidden="true">${letter.toUpperCase()}</span>${brand}</span></header>
<main>${message(tag, texts, status)}</main>
</body>
</html>
`);
      rendered.set(tag, { ms, page });
      return page;
    },
  };
}
