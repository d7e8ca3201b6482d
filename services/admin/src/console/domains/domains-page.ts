import { domainToUnicode } from "node:url";
import { type DomainInEffect, type DomainPage, pathTo } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import type { ConsolePage } from "../console-document.ts";
import { badge } from "../house/badge.ts";
import { table } from "../house/table.ts";
import { breakable } from "../shown-values.ts";

export interface DomainsView {
  /** As typed; empty: the list. */
  readonly name: string;
  readonly answer: DomainPage;
  /** The operator sees all domains. */
  readonly isOfSite: boolean;
}

/** The sentences and words of this page. */
const words = {
  title: "Domains",
  unused: "No domain has rules of its own: all are decided by auth.backends.order.",
  none: "The configuration has no records.",
  source:
    "The source auth.domains.source is read for one domain at a time, so its domains are not listed. Enter a name.",
  label: "Domain or alias",
  show: "Show",
  all: "All domains of the configuration",
  next: "Next page",
  unknown: (name: string) => `The site does not serve ${name}, or you may not see it.`,
  gone: "The record of your domain does not exist any more.",
  origins: {
    records: "The record is in the configuration.",
    source: "The record is from auth.domains.source.",
    default: "There is no record: auth.domains.default applies.",
  } as Readonly<Record<string, string>>,
  ofOrigin: { records: "configuration", source: "source", default: "default" } as Readonly<Record<string, string>>,
  columns: { name: "Domain", state: "Sign-ins", backends: "Backends", second: "Second factor", origin: "Record" },
  allowed: "Allowed",
  refused: "Refused",
  refusedText: "Nobody of this domain may sign in.",
  usual: "those of the site",
  everything: "all",
  operatorsTitle: "Operators",
  operators: "Accounts of this domain in these groups may use the console, for this domain only.",
  noOperators: "The record assigns no role in the console.",
  attributesTitle: "Attributes",
  facts: {
    aliases: "Aliases",
    message: "Message",
    backends: "Backends",
    protocols: "Protocols",
    credentials: "Mail programs",
    second: "Second factor",
  },
  credentials: {
    any: "any password or access token",
    app_passwords: "app passwords and access tokens",
    tokens: "access tokens",
  } as Readonly<Record<string, string>>,
  noName: "Names without a domain",
} as const;

function shownDomain(name: string): string {
  if (name === "") return words.noName;
  const unicode = domainToUnicode(name);
  return unicode === "" || unicode === name ? name : `${unicode} (${name})`;
}

const linkTo = (name: string): string => `${pathTo("consoleDomains")}?${new URLSearchParams({ name }).toString()}`;

const stateOf = ({ enabled }: DomainInEffect): Html =>
  badge(enabled ? "good" : "bad", enabled ? words.allowed : words.refused);

const listed = (list: readonly string[], none: string): string => (list.length === 0 ? none : list.join(", "));

const pairs = (facts: readonly (readonly [string, string])[]): Html =>
  html`<dl class="pairs">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;

function operatorsPart({ operators }: DomainInEffect): Html {
  const roles = Object.entries(operators).filter(([, groups]) => groups.length > 0);
  return html`<h2>${words.operatorsTitle}</h2><p class="lead">${roles.length === 0 ? words.noOperators : words.operators}</p>${
    roles.length > 0 && pairs(roles.map(([role, groups]) => [role, groups.join(", ")]))
  }`;
}

function domainPart(domain: DomainInEffect): Html {
  const { name, aliases, origin, enabled, message, backends, protocols, attributes } = domain;
  const { mail_credentials: credentials, second_factor: second } = domain;
  const { facts } = words;
  const values = Object.entries(attributes);
  return html`<h2>${breakable(shownDomain(name))} ${stateOf(domain)}</h2><p class="lead">${words.origins[origin] ?? origin}${
    !enabled && html` ${words.refusedText}`
  }</p>${pairs([
    ...(aliases.length === 0 ? [] : [[facts.aliases, aliases.map(shownDomain).join(", ")] as const]),
    ...(message === undefined ? [] : [[facts.message, message] as const]),
    [facts.backends, listed(backends, words.usual)],
    [facts.protocols, listed(protocols, words.everything)],
    [facts.credentials, words.credentials[credentials] ?? credentials],
    ...(second === undefined ? [] : [[facts.second, second] as const]),
  ])}${operatorsPart(domain)}${
    values.length > 0 &&
    html`<h2>${words.attributesTitle}</h2>${pairs(values.map(([key, list]) => [key, list.join(", ")]))}`
  }`;
}

function listPart({ answer: { domains, next, has_source: hasSource } }: DomainsView): Html {
  const { columns } = words;
  const rows = table({
    label: words.title,
    rows: domains,
    columns: [
      { name: columns.name, cell: ({ name }) => html`<a href="${linkTo(name)}">${breakable(shownDomain(name))}</a>` },
      { name: columns.state, cell: stateOf },
      { name: columns.backends, cell: ({ backends }) => listed(backends, words.usual) },
      { name: columns.second, cell: ({ second_factor: second }) => second },
      { name: columns.origin, cell: ({ origin }) => words.ofOrigin[origin] ?? origin },
    ],
  });
  return html`${hasSource && html`<p class="lead">${words.source}</p>`}${domains.length === 0 ? html`<p class="lead">${words.none}</p>` : rows}${
    next !== undefined &&
    html`<p><a href="${pathTo("consoleDomains")}?${new URLSearchParams({ cursor: next }).toString()}">${words.next}</a></p>`
  }`;
}

function form(name: string): Html {
  return html`<form method="get" action="${pathTo("consoleDomains")}" class="search"><div class="field"><label for="domain">${words.label}</label><input type="text" id="domain" name="name" value="${name}" maxlength="255" autocomplete="off" autocapitalize="none" spellcheck="false" required></div><button type="submit">${words.show}</button></form>`;
}

function contentOf(view: DomainsView): Html {
  const { name, answer, isOfSite } = view;
  const { domains, has_records: hasRecords } = answer;
  if (!hasRecords) return html`<p class="lead">${words.unused}</p>`;
  if (!isOfSite)
    return domains.length === 0
      ? html`<p class="lead">${name === "" ? words.gone : words.unknown(name)}</p>`
      : html`${domains.map(domainPart)}`;
  const found = domains.length === 0 ? html`<p class="lead">${words.unknown(name)}</p>` : domains.map(domainPart);
  return html`${form(name)}${
    name === "" ? listPart(view) : html`${found}<p><a href="${pathTo("consoleDomains")}">${words.all}</a></p>`
  }`;
}

/** The domains that the operator may see, and the record in effect of each. */
export function domainsPage(view: DomainsView): ConsolePage {
  return { title: words.title, body: html`<h1>${words.title}</h1>${contentOf(view)}` };
}
