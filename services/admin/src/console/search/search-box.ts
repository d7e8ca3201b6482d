import { pathTo } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import type { Operator } from "../../operators/operator.ts";
import { t } from "../../texts/texts.ts";

/** The search of every page. Browsers suggest the last searches of the session. @param query what the page is about */
export function searchBox({ csrfToken, searches = [] }: Operator, query = ""): Html {
  return html`<form method="post" action="${pathTo("consoleFind")}" class="find" role="search"><input type="hidden" name="csrf_token" value="${csrfToken}"><label for="query">${t("house.query")}</label><input type="text" id="query" name="query" value="${query}" maxlength="1024" autocomplete="off" autocapitalize="none" spellcheck="false" required aria-keyshortcuts="/"${
    searches.length > 0 && html` list="searches"`
  }><button type="submit">${t("house.search")}</button>${
    searches.length > 0 &&
    html`<datalist id="searches">${searches.map((one) => html`<option value="${one}"></option>`)}</datalist>`
  }</form>`;
}
