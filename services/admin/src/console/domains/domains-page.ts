import { domainToUnicode } from "node:url";
import { type DomainInEffect, type DomainPage, pathTo } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { joined, roleWord, t, word } from "../../texts/texts.ts";
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

function writtenDomain(name: string): string {
  const unicode = domainToUnicode(name);
  return unicode === "" || unicode === name ? name : `${unicode} (${name})`;
}

const domainText = (name: string): Html | undefined =>
  name === "" ? t("domains.no_name") : breakable(writtenDomain(name));

const linkTo = (name: string): string => `${pathTo("consoleDomains")}?${new URLSearchParams({ name }).toString()}`;

const stateOf = ({ enabled }: DomainInEffect): Html =>
  badge(enabled ? "good" : "bad", t(enabled ? "domains.allowed" : "col.refused"));

const backendsOf = ({ backends }: DomainInEffect): Html =>
  backends.length === 0 ? t("domains.usual") : joined(backends);

const pairs = (facts: readonly (readonly [name: Html | string, value: Html | string])[]): Html =>
  html`<dl class="pairs">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;

function operatorsPart({ operators }: DomainInEffect): Html {
  const roles = Object.entries(operators).filter(([, groups]) => groups.length > 0);
  return html`<h2>${t("domains.operators")}</h2><p class="lead">${t(roles.length === 0 ? "domains.no_operators" : "domains.operators_about")}</p>${
    roles.length > 0 && pairs(roles.map(([role, groups]) => [roleWord(role), joined(groups)]))
  }`;
}

function domainPart(domain: DomainInEffect): Html {
  const { name, aliases, origin, enabled, message, protocols, attributes } = domain;
  const { mail_credentials: credentials, second_factor: second } = domain;
  const values = Object.entries(attributes);
  return html`<h2>${domainText(name)} ${stateOf(domain)}</h2><p class="lead">${word("domain_record", origin)}${
    !enabled && html` ${t("domains.disabled")}`
  }</p>${pairs([
    ...(aliases.length === 0 ? [] : [[t("domains.aliases"), joined(aliases.map(writtenDomain))] as const]),
    ...(message === undefined ? [] : [[t("domains.message"), message] as const]),
    [t("col.backends"), backendsOf(domain)],
    [t("domains.protocols"), protocols.length === 0 ? t("domains.everything") : joined(protocols)],
    [t("domains.mail_programs"), word("mail_credentials", credentials)],
    ...(second === undefined ? [] : [[t("domains.second_factor"), word("factor_demand", second)] as const]),
  ])}${operatorsPart(domain)}${
    values.length > 0 &&
    html`<h2>${t("difference.attributes")}</h2>${pairs(values.map(([key, list]) => [key, joined(list)]))}`
  }`;
}

function listPart({ answer: { domains, next, has_source: hasSource } }: DomainsView): Html {
  const rows = table({
    label: t("page.domains"),
    rows: domains,
    columns: [
      { name: t("domains.domain"), cell: ({ name }) => html`<a href="${linkTo(name)}">${domainText(name)}</a>` },
      { name: t("col.sign_ins"), cell: stateOf },
      { name: t("col.backends"), cell: backendsOf },
      {
        name: t("domains.second_factor"),
        cell: ({ second_factor: second }) => (second === undefined ? undefined : word("factor_demand", second)),
      },
      { name: t("domains.record"), cell: ({ origin }) => word("domain_origin", origin) },
    ],
  });
  return html`${hasSource && html`<p class="lead">${t("domains.source")}</p>`}${domains.length === 0 ? html`<p class="lead">${t("domains.none")}</p>` : rows}${
    next !== undefined &&
    html`<p><a href="${pathTo("consoleDomains")}?${new URLSearchParams({ cursor: next }).toString()}">${t("house.next")}</a></p>`
  }`;
}

function form(name: string): Html {
  return html`<form method="get" action="${pathTo("consoleDomains")}" class="search"><div class="field"><label for="domain">${t("domains.label")}</label><input type="text" id="domain" name="name" value="${name}" maxlength="255" autocomplete="off" autocapitalize="none" spellcheck="false" required></div><button type="submit">${t("house.show")}</button></form>`;
}

function contentOf(view: DomainsView): Html {
  const { name, answer, isOfSite } = view;
  const { domains, has_records: hasRecords } = answer;
  if (!hasRecords) return html`<p class="lead">${t("domains.unused")}</p>`;
  const none = t(name === "" ? "domains.gone" : "domains.unknown", { name });
  const found = domains.length === 0 ? html`<p class="lead">${none}</p>` : html`${domains.map(domainPart)}`;
  if (!isOfSite) return found;
  return html`${form(name)}${
    name === "" ? listPart(view) : html`${found}<p><a href="${pathTo("consoleDomains")}">${t("domains.all")}</a></p>`
  }`;
}

/** The domains that the operator may see, and the record in effect of each. */
export function domainsPage(view: DomainsView): ConsolePage {
  const title = t("page.domains");
  return { title, id: "domains", body: html`<h1>${title}</h1>${contentOf(view)}` };
}
