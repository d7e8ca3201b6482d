import { type ConsolePageId, consolePages, mayOpen, operation, pathTo } from "@postern/shared/contracts";
import { createSecurityHeaders, formOf, type Html, html, htmlText } from "@postern/shared/platform/pages";
import type { Operator } from "../operators/operator.ts";

export interface ConsolePage {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
  /** Address of the script that it runs. */
  readonly script?: string;
  /** What a page consists of that is not in the style of the others. */
  readonly library?: PageLibrary;
  /** Loads this path of the console by itself, after a sign-in. */
  readonly goesTo?: string;
}

export interface PageLibrary {
  /** Address of a script that runs before the page's own. */
  readonly script: string;
  /** Addresses of the styles, in place of the console's. */
  readonly styles: readonly string[];
}

/** A response for a browser. */
export interface ShownPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type ShowPage = (page: ConsolePage, operator?: Operator) => ShownPage;

const isPageId = (id: string): id is ConsolePageId => Object.hasOwn(consolePages, id);
const pageIds = Object.keys(consolePages).filter(isPageId);

function navigation(title: string, { role }: Operator): Html {
  const own = pageIds.filter((id) => mayOpen(role, id)).map((id) => consolePages[id]);
  return html`<nav aria-label="Console">${own.map(
    (page) =>
      html`<a href="${operation(page.operation).path}"${page.title === title && html` aria-current="page"`}>${page.title}</a>`,
  )}</nav>`;
}

function operatorLine({ account, role, csrfToken }: Operator): Html {
  const form = { action: pathTo("consoleSignOut"), csrfToken };
  return html`<div class="who-am-i"><span>${account} (${role})</span>${formOf(
    form,
    html`<button type="submit" class="quiet">Sign out</button>`,
  )}</div>`;
}

/**
 * In English only: the console's readers also read the log and the documentation.
 * @param origin origin of the console.
 * @param name of the site.
 */
export function createShowPage(origin: string, name: string, stylesheet: string): ShowPage {
  const [letter = ""] = name;
  const security = createSecurityHeaders(origin);
  const headersWith = (script: boolean) => ({
    ...security.page({ formTargets: [], script }),
    // Under no-referrer, browsers send "Origin: null" with forms.
    "referrer-policy": "same-origin",
    "content-language": "en",
  });
  const [plain, scripted] = [headersWith(false), headersWith(true)];
  return ({ title, body, status = 200, goesTo, script, library }, operator) => ({
    status,
    headers: script === undefined ? plain : scripted,
    body: htmlText(html`<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<title>${title} – ${name} console</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${goesTo !== undefined && html`<meta http-equiv="refresh" content="0;url=${goesTo}">`}
<link rel="icon" href="data:,">
${(library?.styles ?? [stylesheet]).map((href) => html`<link rel="stylesheet" href="${href}">`)}
${library !== undefined && html`<script src="${library.script}" defer></script>`}
${script !== undefined && html`<script src="${script}" defer></script>`}
</head>
<body class="console">
<header><span class="brand"><span class="mark" aria-hidden="true">${letter.toUpperCase()}</span>${name} console</span>${
      operator !== undefined && html`${operatorLine(operator)}${navigation(title, operator)}`
    }</header>
<main>${body}</main>
</body>
</html>
`),
  });
}
