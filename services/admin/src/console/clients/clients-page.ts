import { ApplicationList, pathTo, RegisteredClientList } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import type { FastifyReply } from "fastify";
import { createReadAnswer } from "../api-answer.ts";
import type { ConsolePage } from "../console-document.ts";
import { type ConsoleVisit, forOperator, queryOf, sendNotice, sendPage } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { badge, stateBadge } from "../house/badge.ts";
import { type Column, type Table, table } from "../house/table.ts";
import { exactTime, plural, time } from "../shown-values.ts";

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

type Fact = readonly [name: string, value: Html | string | undefined];

/** What ends within this time is marked. */
const soonDays = 21;
const dayMs = 86_400_000;

/** What a row opens. */
function details(name: string, facts: readonly Fact[]): Html {
  const known = facts.filter(([, value]) => value !== undefined && value !== "");
  return html`<details><summary>Details<span class="hidden"> of ${name}</span></summary><dl class="pairs">${known.map(
    ([key, value]) => html`<dt>${key}</dt><dd>${value}</dd>`,
  )}</dl></details>`;
}

const code = (text: string): Html | undefined => (text === "" ? undefined : html`<code>${text}</code>`);

const used = (iso: string | undefined): Html => (iso === undefined ? html`Not recorded` : time(iso));

/** The end of something, marked if it is near or over. */
function endOf(iso: string, now: Date): Html {
  const days = Math.floor((Date.parse(iso) - now.getTime()) / dayMs);
  if (days < 0) return html`${exactTime(iso)} ${badge("bad", "Expired")}`;
  return days <= soonDays
    ? html`${exactTime(iso)} ${badge("warn", `In ${plural(days, "day", "days")}`)}`
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
    name: "Name",
    cell: (row) => html`<b>${shownName(row)}</b>`,
    sort: { order, href: addressOf(view, "name"), hint: "Sort by name" },
  };
}

function usedColumn<Row extends Named>(view: ClientsView): Column<Row> {
  const order = view.sort === "used" ? "descending" : undefined;
  return {
    name: "Last used",
    cell: ({ last_used: last }) => used(last),
    sort: { order, href: addressOf(view, "used"), hint: "Sort by last use, latest first" },
  };
}

function listPart<Row>(title: string, shown: Table<Row>, isFiltered: boolean): Html {
  const none = isFiltered ? "None has these words." : "None.";
  return html`<h2>${title}</h2>${shown.rows.length === 0 ? html`<p class="lead">${none}</p>` : table(shown)}`;
}

function oidcPart(view: ClientsView): Html {
  const rows = view.applications.oidc.map((client) => ({ ...client, id: client.client_id }));
  const title = "OIDC clients";
  const columns: readonly Column<OidcApplication & Named>[] = [
    nameColumn(view),
    { name: "Client ID", cell: ({ id }) => code(id) },
    usedColumn(view),
    {
      name: "Authentication",
      cell: ({ authentication, keys }) =>
        keys === 0 ? authentication : `${authentication}, ${plural(keys, "key", "keys")}`,
    },
  ];
  const below = (client: OidcApplication & Named): Html =>
    details(shownName(client), [
      ["Grants", client.grant_types.join(", ")],
      ["Scopes", client.scopes.join(" ")],
      ["Redirect URIs", code(client.redirect_uris.join(" "))],
    ]);
  return listPart(title, { label: title, rows: chosen(view, rows), columns, below }, view.words !== "");
}

const states: Readonly<Record<string, string>> = {
  metadata_missing: "Not usable: the metadata was never loaded",
  metadata_expired: "Not usable: the metadata has expired",
};

const stateOf = ({ state }: SamlApplication): Html => {
  const problem = states[state];
  return problem === undefined ? stateBadge(state) : badge("bad", problem);
};

function certificates({ certificates: all }: SamlApplication, now: Date): Html {
  return html`${all.map(({ use, end }) => html`<span class="line">${use}: ${endOf(end, now)}</span>`)}`;
}

function samlPart(view: ClientsView): Html {
  const { now, applications } = view;
  const rows = applications.saml.map((provider) => ({ ...provider, id: provider.entity_id }));
  const title = "SAML service providers";
  const columns: readonly Column<SamlApplication & Named>[] = [
    nameColumn(view),
    { name: "State", cell: stateOf },
    usedColumn(view),
    { name: "Metadata until", cell: ({ metadata_end: end }) => (end === undefined ? undefined : endOf(end, now)) },
    { name: "Certificates until", cell: (provider) => certificates(provider, now) },
  ];
  const below = (provider: SamlApplication & Named): Html =>
    details(shownName(provider), [
      ["Entity ID", code(provider.id)],
      ["Metadata", code(provider.metadata)],
    ]);
  return listPart(title, { label: title, rows: chosen(view, rows), columns, below }, view.words !== "");
}

function registeredTable(rows: readonly RegisteredClient[]): Html {
  const title = "Clients that registered themselves";
  const nameOf = ({ client_id: id, client_name: name }: RegisteredClient): string => (name === "" ? id : name);
  const columns: readonly Column<RegisteredClient>[] = [
    { name: "Name", cell: (client) => html`<b>${nameOf(client)}</b>` },
    { name: "Kind", cell: ({ kind }) => (kind === "mail" ? "mail client" : "dynamic registration") },
    { name: "Last used", cell: ({ last_used: last }) => (last === undefined ? "Never" : time(last)) },
    { name: "Registered", cell: ({ created, network }) => html`${time(created)}, from ${network}` },
    { name: "Expires unless used", cell: ({ ends }) => time(ends) },
  ];
  const below = (client: RegisteredClient): Html =>
    details(nameOf(client), [
      ["Client ID", code(client.client_id)],
      ["Scopes", client.scope],
      ["Redirect URIs", code(client.redirect_uris.join(" "))],
    ]);
  return listPart(title, { label: title, rows, columns, below }, false);
}

/** In the order of their ends, page by page: the filter and the other order are those of the lists above. */
function registeredPart({ registered, position }: ClientsView): Html | undefined {
  if (registered === undefined) return undefined;
  const { clients, next } = registered;
  const path = pathTo("consoleClients");
  return html`${registeredTable(clients)}${
    clients.length > 0 && html`<p class="hint">Names are unverified. The next to expire is listed first.</p>`
  }${
    (position > 0 || next !== undefined) &&
    html`<p class="pages">${position > 0 && html`<a href="${path}">First page</a>`}${
      next !== undefined && html`<a href="${path}?position=${next}">Next page</a>`
    }</p>`
  }`;
}

function filter({ words, sort }: ClientsView): Html {
  return html`<form method="get" action="${pathTo("consoleClients")}" class="search"><input type="hidden" name="sort" value="${sort}"><div class="field"><label for="words">Only clients and service providers with these words</label><input type="text" id="words" name="words" value="${words}" maxlength="100" autocomplete="off" spellcheck="false"></div><button type="submit" class="quiet">Filter</button></form>${
    words !== "" && html`<p><a href="${pathTo("consoleClients")}?sort=${sort}">All of them</a></p>`
  }`;
}

/** Which applications sign users in, when they last did, and what of them expires. */
export function clientsPage(view: ClientsView): ConsolePage {
  const { incomplete } = view.applications;
  return {
    title: "Clients",
    body: html`<h1>Clients</h1>${
      incomplete.length > 0 &&
      html`<div class="note">${incomplete.map((text) => html`<p>Incomplete: ${text}.</p>`)}</div>`
    }${filter(view)}${oidcPart(view)}${samlPart(view)}${registeredPart(view)}`,
  };
}

const readApplications = createReadAnswer(ApplicationList);
const readRegistered = createReadAnswer(RegisteredClientList);
const longestFilter = 100;
const positionForm = /^\d{1,7}$/u;

/** `GET /console/clients`; with `position`, another page of the clients that registered themselves; with `words` and `sort`, a part of the others in another order. */
export function getClientsPage(deps: ConsolePagesDeps) {
  const { ask, clock } = deps;
  const handle = async ({ request, reply, operator }: ConsoleVisit): Promise<FastifyReply> => {
    const position = queryOf(request, "position") ?? "0";
    if (!positionForm.test(position)) return sendNotice(deps, reply, "not_found", operator);
    const [applications, registered] = await Promise.all([
      readApplications(ask, operator, { operation: "listApplications" }),
      readRegistered(ask, operator, { operation: "listRegisteredClients", query: { position } }),
    ]);
    if (applications === undefined) return sendNotice(deps, reply, "unavailable", operator);
    const words = queryOf(request, "words")?.trim().slice(0, longestFilter) ?? "";
    const sort: ClientsSort = queryOf(request, "sort") === "used" ? "used" : "name";
    const view = { applications, registered, position: Number(position), now: new Date(clock.now()), words, sort };
    return sendPage(deps, reply, clientsPage(view), operator);
  };
  return forOperator(deps, { route: "consoleClients", handle });
}
