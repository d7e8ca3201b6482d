import { ApplicationList, pathTo, RegisteredClientList } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import type { FastifyReply } from "fastify";
import { createReadAnswer } from "../api-answer.ts";
import type { ConsolePage } from "../console-document.ts";
import { type ConsoleVisit, forOperator, queryOf, sendNotice, sendPage } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { time } from "../shown-values.ts";

type OidcApplication = ApplicationList["oidc"][number];
type SamlApplication = ApplicationList["saml"][number];
type RegisteredClient = RegisteredClientList["clients"][number];

export interface ClientsView {
  readonly applications: ApplicationList;
  /** Undefined: OIDC is off. */
  readonly registered: RegisteredClientList | undefined;
  /** Where this page of registered clients begins. */
  readonly position: number;
  readonly now: Date;
}

type Fact = readonly [name: string, value: Html | string | undefined];

/** What ends within this time is marked. */
const soonDays = 21;
const dayMs = 86_400_000;

function item(name: string, facts: readonly Fact[]): Html {
  const known = facts.filter(([, value]) => value !== undefined && value !== "");
  return html`<li><b>${name}</b><dl class="pairs">${known.map(
    ([key, value]) => html`<dt>${key}</dt><dd>${value}</dd>`,
  )}</dl></li>`;
}

const code = (text: string): Html | undefined => (text === "" ? undefined : html`<code>${text}</code>`);

const used = (iso: string | undefined): Html => (iso === undefined ? html`Not recorded` : time(iso));

/** The end of something, marked if it is near or over. */
function endOf(iso: string, now: Date): Html {
  const days = Math.floor((Date.parse(iso) - now.getTime()) / dayMs);
  if (days < 0) return html`${time(iso)} <b class="bad">Expired</b>`;
  return days <= soonDays ? html`${time(iso)} <b class="bad">In ${days} ${days === 1 ? "day" : "days"}</b>` : time(iso);
}

function oidcItem(client: OidcApplication): Html {
  const { client_id: id, name, authentication, keys } = client;
  return item(name === "" ? id : name, [
    ["Client ID", name === "" ? undefined : code(id)],
    ["Last used", used(client.last_used)],
    ["Authentication", keys === 0 ? authentication : `${authentication}, ${keys} ${keys === 1 ? "key" : "keys"}`],
    ["Grants", client.grant_types.join(", ")],
    ["Scopes", client.scopes.join(" ")],
    ["Redirect URIs", code(client.redirect_uris.join(" "))],
  ]);
}

const states: Readonly<Record<string, string>> = {
  metadata_missing: "Not usable: the metadata was never loaded",
  metadata_expired: "Not usable: the metadata has expired",
};

function certificates({ certificates: all }: SamlApplication, now: Date): Html | undefined {
  return all.length === 0
    ? undefined
    : html`${all.map(({ use, end }) => html`<span class="line">${use}: ${endOf(end, now)}</span>`)}`;
}

function samlItem(provider: SamlApplication, now: Date): Html {
  const { entity_id: id, name, state, metadata_end: end } = provider;
  const problem = states[state];
  return item(name === "" ? id : name, [
    ["Entity ID", name === "" ? undefined : code(id)],
    ["State", problem === undefined ? undefined : html`<b class="bad">${problem}</b>`],
    ["Last used", used(provider.last_used)],
    ["Metadata", code(provider.metadata)],
    ["Metadata valid until", end === undefined ? undefined : endOf(end, now)],
    ["Certificates valid until", certificates(provider, now)],
  ]);
}

function registeredItem(client: RegisteredClient): Html {
  const { client_id: id, client_name: name, kind } = client;
  return item(name === "" ? id : name, [
    ["Client ID", name === "" ? undefined : code(id)],
    ["Kind", kind === "mail" ? "mail client" : "dynamic registration"],
    ["Last used", client.last_used === undefined ? "Never" : time(client.last_used)],
    ["Registered", html`${time(client.created)}, from ${client.network}`],
    ["Expires unless used", time(client.ends)],
    ["Scopes", client.scope],
    ["Redirect URIs", code(client.redirect_uris.join(" "))],
  ]);
}

function section(title: string, items: readonly Html[]): Html {
  return html`<h2>${title}</h2>${
    items.length === 0 ? html`<p class="lead">None.</p>` : html`<ul class="things">${items}</ul>`
  }`;
}

function registeredPart({ registered, position }: ClientsView): Html | undefined {
  if (registered === undefined) return undefined;
  const { clients, next } = registered;
  const path = pathTo("consoleClients");
  return html`${section("Clients that registered themselves", clients.map(registeredItem))}${
    clients.length > 0 && html`<p class="hint">Names are unverified. The next to expire is listed first.</p>`
  }${position > 0 && html`<p><a href="${path}">First page</a></p>`}${
    next !== undefined && html`<p><a href="${path}?position=${next}">Next page</a></p>`
  }`;
}

/** Which applications sign users in, when they last did, and what of them expires. */
export function clientsPage(view: ClientsView): ConsolePage {
  const { applications, now } = view;
  const { oidc, saml, incomplete } = applications;
  return {
    title: "Clients",
    body: html`<h1>Clients</h1>${
      incomplete.length > 0 &&
      html`<div class="note">${incomplete.map((text) => html`<p>Incomplete: ${text}.</p>`)}</div>`
    }${section("OIDC clients", oidc.map(oidcItem))}${section(
      "SAML service providers",
      saml.map((one) => samlItem(one, now)),
    )}${registeredPart(view)}`,
  };
}

const readApplications = createReadAnswer(ApplicationList);
const readRegistered = createReadAnswer(RegisteredClientList);
const positionForm = /^\d{1,7}$/u;

/** `GET /console/clients`; with `position`, another page of the clients that registered themselves. */
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
    const view = { applications, registered, position: Number(position), now: new Date(clock.now()) };
    return sendPage(deps, reply, clientsPage(view), operator);
  };
  return forOperator(deps, { route: "consoleClients", handle });
}
