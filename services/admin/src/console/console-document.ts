import { type ConsolePageId, consolePages, hasRight, operation, pathTo } from "@postern/shared/contracts";
import { writtenTag } from "@postern/shared/domain/localisation";
import { createSecurityHeaders, formOf, type Html, html, icons } from "@postern/shared/platform/pages";
import { systemClock } from "@postern/shared/platform/time";
import type { Operator } from "../operators/operator.ts";
import { englishLanguage } from "../texts/console-languages.ts";
import { joined, roleWord, type TextKey, t } from "../texts/texts.ts";
import { iconOfPage, menuIcon } from "./house/console-icons.ts";
import { type Look, serverZone, writePage } from "./house/times.ts";
import { liveScript } from "./live-script.ts";

export interface ConsolePage {
  readonly title: Html;
  /** In the navigation. */
  readonly id?: ConsolePageId;
  readonly body: Html;
  readonly status?: number;
  /** Text of the search box: what the page is about. */
  readonly query?: string;
  /** Loads this path of the console by itself, after a sign-in. */
  readonly goesTo?: string;
}

/** How the page is shown to this browser. */
interface PageLook extends Look {
  /** Path of the page, to which the preferences lead back. */
  readonly path: string;
}

/** A response for a browser. */
export interface ShownPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type ShowPage = (page: ConsolePage, operator?: Operator, look?: PageLook) => ShownPage;

const isPageId = (id: string): id is ConsolePageId => Object.hasOwn(consolePages, id);
const pageIds = Object.keys(consolePages).filter(isPageId);

function navigation(current: ConsolePageId | undefined, operator: Operator): Html {
  return html`<nav aria-label="${t("house.navigation")}">${pageIds
    .filter((id) => hasRight(operator, id))
    .map((id) => {
      const { path } = operation(consolePages[id].operation);
      return html`<a href="${path}"${id === current && html` aria-current="page"`}>${iconOfPage(id)}${t(`page.${id}`)}</a>`;
    })}</nav>`;
}

function operatorLine({ account, role, domain, csrfToken }: Operator): Html {
  const form = { action: pathTo("consoleSignOut"), csrfToken };
  return html`<div class="who-am-i"><span>${joined([
    account,
    roleWord(role),
    domain,
  ])}</span>${formOf(form, html`<button type="submit" class="quiet">${t("house.sign_out")}</button>`)}</div>`;
}

/** Beside the page on a desk; on a phone, a button opens it without a script. */
function menu(current: ConsolePageId | undefined, operator: Operator): Html {
  return html`<button type="button" class="quiet menu-button" popovertarget="menu">${menuIcon}${t("house.menu")}</button><div id="menu" popover><button type="button" class="quiet menu-button" popovertarget="menu" popovertargetaction="hide">${icons.cross}${t("house.close")}</button>${navigation(
    current,
    operator,
  )}${operatorLine(operator)}</div>`;
}

function footer({ zone, path }: PageLook): Html {
  const query = new URLSearchParams({ next: path }).toString();
  const key: TextKey = zone === serverZone ? "house.zone_server" : "house.zone";
  return html`<footer><span>${t(key, { zone })}</span> <a href="${pathTo("consolePreferences")}?${query}">${t("house.preferences")}</a></footer>`;
}

const usualLook = (): PageLook => ({
  language: englishLanguage,
  zone: serverZone,
  nowMs: systemClock.now(),
  path: pathTo("consoleOverview"),
});

/**
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
  });
  const [plain, scripted] = [headersWith(false), headersWith(true)];
  return ({ title, id, body, status = 200, goesTo, query }, operator, look = usualLook()) => ({
    status,
    headers: { ...(operator === undefined ? plain : scripted), "content-language": writtenTag(look.language.tag) },
    body: writePage(
      html`<!doctype html>
<html lang="${writtenTag(look.language.tag)}" dir="${look.language.direction}">
<head>
<meta charset="utf-8">
<title>${t("house.title", { title, site: name })}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${goesTo !== undefined && html`<meta http-equiv="refresh" content="0;url=${goesTo}">`}
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${stylesheet}">
${operator !== undefined && html`<script src="${liveScript.path}" defer></script>`}
</head>
<body class="console${operator !== undefined && " with-menu"}">
<a class="skip" href="#content">${t("house.skip")}</a>
<header><span class="brand"><span class="mark" aria-hidden="true">${letter.toUpperCase()}</span><span>${t("house.site", { site: name })}</span></span>${
        operator !== undefined && menu(id, operator)
      }</header>
<div class="house">${operator !== undefined && searchBox(operator, query)}<main id="content">${body}</main>${
        operator !== undefined && footer(look)
      }</div>
</body>
</html>
`,
      look,
    ),
  });
}

/** The search of every page. Browsers suggest the last searches of the session. @param query what the page is about */
function searchBox({ csrfToken, searches = [] }: Operator, query = ""): Html {
  return html`<form method="post" action="${pathTo("consoleFind")}" class="find" role="search"><input type="hidden" name="csrf_token" value="${csrfToken}"><label for="query">${t("house.query")}</label><input type="text" id="query" name="query" value="${query}" maxlength="1024" autocomplete="off" autocapitalize="none" spellcheck="false" required aria-keyshortcuts="/"${
    searches.length > 0 && html` list="searches"`
  }><button type="submit">${t("house.search")}</button>${
    searches.length > 0 &&
    html`<datalist id="searches">${searches.map((one) => html`<option value="${one}"></option>`)}</datalist>`
  }</form>`;
}
