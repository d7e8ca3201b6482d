import type { OidcSessionList } from "@postern/shared/contracts";
import { browserName } from "@postern/shared/domain/programs";
import { type Html, html } from "@postern/shared/platform/pages";
import { type Actionable, actionsOf } from "../action-forms.ts";
import { card } from "../house/card.ts";
import { time } from "../shown-values.ts";

type BrowserSession = NonNullable<OidcSessionList["browser_sessions"]>[number];
type ClientSession = OidcSessionList["sessions"][number];

const factor = (isUsed: boolean): string => (isUsed ? "with a second factor" : "without a second factor");

function browserItem(about: Actionable, target: string, session: BrowserSession): Html {
  const { id, client_ip: address, user_agent: agent, auth_time: began, last_seen: seen } = session;
  const { client_ids: clients, mfa_completed: isUsed } = session;
  const called = `browser ${address === "" ? "of an unknown address" : address}`;
  return html`<li><b>${agent === "" ? "Unknown browser" : browserName(agent)}</b><span>Signed in ${time(began)} from ${
    address === "" ? "an unknown address" : address
  }, ${factor(isUsed)}. Last seen ${time(seen)}.${
    clients.length > 0 && html` Applications: ${clients.join(", ")}.`
  }</span>${actionsOf(about, ["end-session"], { target, item: id, called })}</li>`;
}

function clientItem(about: Actionable, target: string, session: ClientSession): Html {
  const { id, client_id: client, auth_time: began, scopes, mfa_completed: isUsed } = session;
  const called = `application ${client}`;
  return html`<li><b>${client}</b><span>Signed in ${time(began)}, ${factor(isUsed)}.${
    scopes.length > 0 && html` Scopes: ${scopes.join(" ")}.`
  }</span>${actionsOf(about, ["end-session"], { target, item: id, called })}</li>`;
}

const cardOf = (title: string, items: readonly Html[]): Html =>
  card({
    title,
    count: items.length,
    isOpen: items.length > 0,
    body: items.length === 0 ? html`<p class="lead">None.</p>` : html`<ul class="things">${items}</ul>`,
  });

export function sessionsPart(
  about: Actionable,
  account: string,
  { sessions, browser_sessions: browsers = [] }: OidcSessionList,
): Html {
  return html`${cardOf(
    "Browser sessions",
    browsers.map((one) => browserItem(about, account, one)),
  )}${cardOf(
    "Tokens of applications",
    sessions.map((one) => clientItem(about, account, one)),
  )}`;
}
