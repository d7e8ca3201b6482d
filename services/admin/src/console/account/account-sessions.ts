import type { OidcSessionList } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { t } from "../../texts/texts.ts";
import { type Actionable, actionsOf } from "../action-forms.ts";
import { card } from "../house/card.ts";
import { time } from "../shown-values.ts";
import { addressName, browserText } from "./account-credentials.ts";

type BrowserSession = NonNullable<OidcSessionList["browser_sessions"]>[number];
type ClientSession = OidcSessionList["sessions"][number];

const factor = (isUsed: boolean): Html => (isUsed ? t("account.with_factor") : t("account.without_factor"));

function browserItem(about: Actionable, target: string, session: BrowserSession): Html {
  const { id, client_ip: address, user_agent: agent, auth_time: began, last_seen: seen } = session;
  const { client_ids: clients, mfa_completed: isUsed } = session;
  const called = t("account.called_browser", { address: addressName(address) });
  return html`<li><b>${browserText(agent)}</b><span>${t("account.browser_session", { time: time(began), address: addressName(address), factor: factor(isUsed), seen: time(seen) })}${
    clients.length > 0 && html` ${t("account.applications", { clients: clients.join(", ") })}`
  }</span>${actionsOf(about, ["end-session"], { target, item: id, called })}</li>`;
}

function clientItem(about: Actionable, target: string, session: ClientSession): Html {
  const { id, client_id: client, auth_time: began, scopes, mfa_completed: isUsed } = session;
  const called = t("account.called_application", { client });
  return html`<li><b>${client}</b><span>${t("account.client_session", { time: time(began), factor: factor(isUsed) })}${
    scopes.length > 0 && html` ${t("account.scopes", { scopes: scopes.join(" ") })}`
  }</span>${actionsOf(about, ["end-session"], { target, item: id, called })}</li>`;
}

const cardOf = (title: Html, items: readonly Html[]): Html =>
  card({
    title,
    count: items.length,
    isOpen: items.length > 0,
    body: items.length === 0 ? html`<p class="lead">${t("house.none")}</p>` : html`<ul class="things">${items}</ul>`,
  });

export function sessionsPart(
  about: Actionable,
  account: string,
  { sessions, browser_sessions: browsers = [] }: OidcSessionList,
): Html {
  return html`${cardOf(
    t("account.browser_sessions"),
    browsers.map((one) => browserItem(about, account, one)),
  )}${cardOf(
    t("account.tokens"),
    sessions.map((one) => clientItem(about, account, one)),
  )}`;
}
