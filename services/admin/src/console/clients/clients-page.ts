import { ApplicationList, pathTo, RegisteredClientList } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { joined, t, word } from "../../texts/texts.ts";
import { createReadAnswer } from "../api-answer.ts";
import type { ConsolePage } from "../console-document.ts";
import { type ConsoleVisit, type PageAnswer, queryOf } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { badge, stateBadge } from "../house/badge.ts";
import { details } from "../house/pairs.ts";
import { type Column, type Table, table } from "../house/table.ts";
import { exactTime, time } from "../shown-values.ts";
import { incompleteText } from "../verdict-part.ts";

type OidcApplication = ApplicationList["oidc"][number];
type SamlApplication = ApplicationList["saml"][number];
type RegisteredClient = RegisteredClientList["clients"][number];

export type ClientsSort = "name" | "used";

export interface ClientsView {
  readonly applications: ApplicationList;
  /** Undefined: OIDC is off. */
  readonly registered: RegisteredClientList | undefined;
  /** Where this page of registered clients begins. */
  readonly position: number;
  readonly now: Date;
  /** Filter of the configured ones; empty: all. */
  readonly words: string;
  readonly sort: ClientsSort;
}

/** What ends within this time is marked. */
const soonDays = 21;
const dayMs = 86_400_000;

const unlessEmpty = (text: string): string | false => text !== "" && text;
const code = (text: string): Html | undefined => (text === "" ? undefined : html`<code>${text}</code>`);

const used = (iso: string | undefined): Html => (iso === undefined ? t("clients.not_recorded") : time(iso));

/** The end of something, marked if it is near or over. */
function endOf(iso: string, now: Date): Html {
  const days = Math.floor((Date.parse(iso) - now.getTime()) / dayMs);
  if (days < 0) return html`${exactTime(iso)} ${badge("bad", t("clients.expired"))}`;
  return days <= soonDays
    ? html`${exactTime(iso)} ${badge("warn", t("clients.ends", { count: days }))}`
    : exactTime(iso);
}

interface Named {
  readonly id: string;
  readonly name: string;
  readonly last_used?: string | undefined;
}

const shownName = ({ id, name }: Named): string => (name === "" ? id : name);

/** Whether the words of the filter are in the name or the identifier. */
const matches = (words: string, { id, name }: Named): boolean =>
  words
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => `${name} ${id}`.toLowerCase().includes(word));

const byName = (a: Named, b: Named): number => shownName(a).localeCompare(shownName(b), "en");
/** Those that were never used are last. */
const byUse = (a: Named, b: Named): number => (b.last_used ?? "").localeCompare(a.last_used ?? "");

const chosen = <Row extends Named>({ words, sort }: ClientsView, rows: readonly Row[]): readonly Row[] =>
  rows.filter((row) => matches(words, row)).toSorted(sort === "used" ? byUse : byName);

const addressOf = ({ words }: ClientsView, sort: ClientsSort): string =>
  `${pathTo("consoleClients")}?${new URLSearchParams({ sort, ...(words !== "" && { words }) }).toString()}`;

function nameColumn<Row extends Named>(view: ClientsView): Column<Row> {
  const order = view.sort === "name" ? "ascending" : undefined;
  return {
    name: t("col.name"),
    cell: (row) => html`<b>${shownName(row)}</b>`,
    sort: { order, href: addressOf(view, "name"), hint: t("clients.sort_name") },
  };
}

function usedColumn<Row extends Named>(view: ClientsView): Column<Row> {
  const order = view.sort === "used" ? "descending" : undefined;
  return {
    name: t("col.last_used"),
    cell: ({ last_used: last }) => used(last),
    sort: { order, href: addressOf(view, "used"), hint: t("clients.sort_used") },
  };
}

function listPart<Row>(title: Html, shown: Table<Row>, isFiltered: boolean): Html {
  const none = isFiltered ? t("clients.no_match") : t("house.none");
  return html`<h2>${title}</h2>${shown.rows.length === 0 ? html`<p class="lead">${none}</p>` : table(shown)}`;
}

function oidcPart(view: ClientsView): Html {
  const rows = view.applications.oidc.map((client) => ({ ...client, id: client.client_id }));
  const title = t("clients.oidc");
  const columns: readonly Column<OidcApplication & Named>[] = [
    nameColumn(view),
    { name: t("clients.id"), cell: ({ id }) => code(id) },
    usedColumn(view),
    {
      name: t("clients.authentication"),
      cell: ({ authentication, keys }) => joined([authentication, keys > 0 && t("clients.keys", { count: keys })]),
    },
  ];
  const below = (client: OidcApplication & Named): Html =>
    details(shownName(client), [
      [t("clients.grants"), unlessEmpty(client.grant_types.join(", "))],
      [t("clients.scopes"), unlessEmpty(client.scopes.join(" "))],
      [t("clients.redirects"), code(client.redirect_uris.join(" "))],
    ]);
  return listPart(title, { label: title, rows: chosen(view, rows), columns, below }, view.words !== "");
}

const problems: ReadonlySet<string> = new Set(["metadata_missing", "metadata_expired"]);

const stateOf = ({ state }: SamlApplication): Html =>
  problems.has(state) ? badge("bad", word("state", state)) : stateBadge(state);

function certificates({ certificates: all }: SamlApplication, now: Date): Html {
  return html`${all.map(({ use, end }) => html`<span class="line">${word("use", use)}: ${endOf(end, now)}</span>`)}`;
}

function samlPart(view: ClientsView): Html {
  const { now, applications } = view;
  const rows = applications.saml.map((provider) => ({ ...provider, id: provider.entity_id }));
  const title = t("clients.saml");
  const columns: readonly Column<SamlApplication & Named>[] = [
    nameColumn(view),
    { name: t("col.state"), cell: stateOf },
    usedColumn(view),
    {
      name: t("clients.metadata_until"),
      cell: ({ metadata_end: end }) => (end === undefined ? undefined : endOf(end, now)),
    },
    { name: t("clients.certificates_until"), cell: (provider) => certificates(provider, now) },
  ];
  const below = (provider: SamlApplication & Named): Html =>
    details(shownName(provider), [
      [t("clients.entity"), code(provider.id)],
      [t("clients.metadata"), code(provider.metadata)],
    ]);
  return listPart(title, { label: title, rows: chosen(view, rows), columns, below }, view.words !== "");
}

function registeredTable(rows: readonly RegisteredClient[]): Html {
  const title = t("clients.registered");
  const nameOf = ({ client_id: id, client_name: name }: RegisteredClient): string => (name === "" ? id : name);
  const columns: readonly Column<RegisteredClient>[] = [
    { name: t("col.name"), cell: (client) => html`<b>${nameOf(client)}</b>` },
    {
      name: t("clients.kind"),
      cell: ({ kind }) => (kind === "mail" ? t("clients.kind_mail") : t("clients.kind_dynamic")),
    },
    { name: t("col.last_used"), cell: ({ last_used: last }) => (last === undefined ? t("clients.never") : time(last)) },
    {
      name: t("clients.registered_at"),
      cell: ({ created, network }) => t("clients.created", { time: time(created), network }),
    },
    { name: t("clients.expires"), cell: ({ ends }) => time(ends) },
  ];
  const below = (client: RegisteredClient): Html =>
    details(nameOf(client), [
      [t("clients.id"), code(client.client_id)],
      [t("clients.scopes"), unlessEmpty(client.scope)],
      [t("clients.redirects"), code(client.redirect_uris.join(" "))],
    ]);
  return listPart(title, { label: title, rows, columns, below }, false);
}

/** In the order of their ends, page by page: the filter and the other order are those of the lists above. */
function registeredPart({ registered, position }: ClientsView): Html | undefined {
  if (registered === undefined) return undefined;
  const { clients, next } = registered;
  const path = pathTo("consoleClients");
  return html`${registeredTable(clients)}${clients.length > 0 && html`<p class="hint">${t("clients.unverified")}</p>`}${
    (position > 0 || next !== undefined) &&
    html`<p class="pages">${position > 0 && html`<a href="${path}">${t("clients.first")}</a>`}${
      next !== undefined && html`<a href="${path}?position=${next}">${t("house.next")}</a>`
    }</p>`
  }`;
}

function filter({ words, sort }: ClientsView): Html {
  return html`<form method="get" action="${pathTo("consoleClients")}" class="search"><input type="hidden" name="sort" value="${sort}"><div class="field"><label for="words">${t("clients.words")}</label><input type="text" id="words" name="words" value="${words}" maxlength="100" autocomplete="off" spellcheck="false"></div><button type="submit" class="quiet">${t("house.filter")}</button></form>${
    words !== "" && html`<p><a href="${pathTo("consoleClients")}?sort=${sort}">${t("clients.all")}</a></p>`
  }`;
}

/** Which applications sign users in, when they last did, and what of them expires. */
export function clientsPage(view: ClientsView): ConsolePage {
  const { incomplete } = view.applications;
  const title = t("page.clients");
  return {
    title,
    id: "clients",
    body: html`<h1>${title}</h1>${
      incomplete.length > 0 &&
      html`<div class="note">${incomplete.map((text) => html`<p>${incompleteText(text)}</p>`)}</div>`
    }${filter(view)}${oidcPart(view)}${samlPart(view)}${registeredPart(view)}`,
  };
}

const readApplications = createReadAnswer(ApplicationList);
const readRegistered = createReadAnswer(RegisteredClientList);
const longestFilter = 100;
const positionForm = /^\d{1,7}$/u;

/** `GET /console/clients`; with `position`, another page of the clients that registered themselves; with `words` and `sort`, a part of the others in another order. */
export async function getClientsPage({ ask, clock }: ConsolePagesDeps, visit: ConsoleVisit): Promise<PageAnswer> {
  const { request, operator } = visit;
  const position = queryOf(request, "position") ?? "0";
  if (!positionForm.test(position)) return "not_found";
  const [applications, registered] = await Promise.all([
    readApplications(ask, operator, { operation: "listApplications" }),
    readRegistered(ask, operator, { operation: "listRegisteredClients", query: { position } }),
  ]);
  if (applications === undefined) return "unavailable";
  const words = queryOf(request, "words")?.trim().slice(0, longestFilter) ?? "";
  const sort: ClientsSort = queryOf(request, "sort") === "used" ? "used" : "name";
  const now = new Date(clock.now());
  return clientsPage({ applications, registered, position: Number(position), now, words, sort });
}
