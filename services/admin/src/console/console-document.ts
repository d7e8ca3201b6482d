import { type ConsolePageId, consolePages, hasRight, operation, pathTo } from "@postern/shared/contracts";
import { createSecurityHeaders, formOf, type Html, html, htmlText, icons } from "@postern/shared/platform/pages";
import { systemClock } from "@postern/shared/platform/time";
import type { Operator } from "../operators/operator.ts";
import { iconOfPage, menuIcon } from "./house/console-icons.ts";
import { type Look, serverZone, writeTimes } from "./house/times.ts";
import { liveScript } from "./live-script.ts";
import { searchBox } from "./search/search-box.ts";

export interface ConsolePage {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
  /** Text of the search box: what the page is about. */
  readonly query?: string;
  /** Loads this path of the console by itself, after a sign-in. */
  readonly goesTo?: string;
}

/** How the page is shown to this browser. */
export interface PageLook extends Look {
  /** Path of the page, to which the preferences lead back. */
  readonly path: string;
}

/** A response for a browser. */
export interface ShownPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type ShowPage = (page: ConsolePage, operator?: Operator, look?: PageLook) => ShownPage;

const isPageId = (id: string): id is ConsolePageId => Object.hasOwn(consolePages, id);
const pageIds = Object.keys(consolePages).filter(isPageId);

function navigation(title: string, operator: Operator): Html {
  return html`<nav aria-label="Console">${pageIds
    .filter((id) => hasRight(operator, id))
    .map((id) => {
      const { operation: of, title: name } = consolePages[id];
      return html`<a href="${operation(of).path}"${name === title && html` aria-current="page"`}>${iconOfPage(id)}${name}</a>`;
    })}</nav>`;
}

function operatorLine({ account, role, domain, csrfToken }: Operator): Html {
  const form = { action: pathTo("consoleSignOut"), csrfToken };
  return html`<div class="who-am-i"><span>${account} (${role}${domain !== undefined && ` of ${domain}`})</span>${formOf(
    form,
    html`<button type="submit" class="quiet">Sign out</button>`,
  )}</div>`;
}

/** Beside the page on a desk; on a phone, a button opens it without a script. */
function menu(title: string, operator: Operator): Html {
  return html`<button type="button" class="quiet menu-button" popovertarget="menu">${menuIcon}Menu</button><div id="menu" popover><button type="button" class="quiet menu-button" popovertarget="menu" popovertargetaction="hide">${icons.cross}Close</button>${navigation(
    title,
    operator,
  )}${operatorLine(operator)}</div>`;
}

function footer({ zone, path }: PageLook): Html {
  const query = new URLSearchParams({ next: path }).toString();
  return html`<footer><span>Times are in the zone ${zone}${
    zone === serverZone && ", which is the server's"
  }; sentences give them in UTC.</span> <a href="${pathTo("consolePreferences")}?${query}">Change the time zone</a></footer>`;
}

const usualLook = (): PageLook => ({ zone: serverZone, nowMs: systemClock.now(), path: pathTo("consoleOverview") });

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
  return ({ title, body, status = 200, goesTo, query }, operator, look = usualLook()) => ({
    status,
    headers: operator === undefined ? plain : scripted,
    body: writeTimes(
      htmlText(html`<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<title>${title} – ${name} console</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${goesTo !== undefined && html`<meta http-equiv="refresh" content="0;url=${goesTo}">`}
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${stylesheet}">
${operator !== undefined && html`<script src="${liveScript.path}" defer></script>`}
</head>
<body class="console${operator !== undefined && " with-menu"}">
<a class="skip" href="#content">Skip to the content</a>
<header><span class="brand"><span class="mark" aria-hidden="true">${letter.toUpperCase()}</span>${name} console</span>${
        operator !== undefined && menu(title, operator)
      }</header>
<div class="house">${operator !== undefined && searchBox(operator, query)}<main id="content">${body}</main>${
        operator !== undefined && footer(look)
      }</div>
</body>
</html>
`),
      look,
    ),
  });
}
