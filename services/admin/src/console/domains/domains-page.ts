import { domainToUnicode } from "node:url";
import { DomainList, DomainReport, type DomainTraffic, pathTo } from "@postern/shared/contracts";
import { canonicalDomain } from "@postern/shared/platform/net";
import { type Html, html } from "@postern/shared/platform/pages";
import type { Operator } from "../../operators/operator.ts";
import { countText, joined, roleWord, t, word } from "../../texts/texts.ts";
import { createReadAnswer, createRequireAnswer } from "../api-answer.ts";
import type { ConsolePage } from "../console-document.ts";
import { type ConsoleVisit, type PageAnswer, queryOf } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { badge } from "../house/badge.ts";
import { pairs } from "../house/pairs.ts";
import { type Column, table } from "../house/table.ts";
import { breakable, time } from "../shown-values.ts";
import { signInsPart, smallChart } from "./domain-sign-ins.ts";

/** The list, or one domain by the name that was typed; the report is absent if the site does not serve it, or the operator may not see it. */
type DomainsView = { readonly isOfSite: boolean } & (
  | { readonly list: DomainList }
  | { readonly name: string; readonly report: DomainReport | undefined }
);

function writtenDomain(name: string): string {
  const unicode = domainToUnicode(name);
  return unicode === "" || unicode === name ? name : `${unicode} (${name})`;
}

const domainText = (name: string): Html | undefined =>
  name === "" ? t("domains.no_name") : breakable(writtenDomain(name));

const linkTo = (name: string): string => `${pathTo("consoleDomains")}?${new URLSearchParams({ name }).toString()}`;

const stateOf = ({ enabled }: DomainReport): Html =>
  badge(enabled ? "good" : "bad", t(enabled ? "domains.allowed" : "col.refused"));

const backendsOf = ({ backends }: DomainReport): Html => joined(backends.map(({ name }) => name));

function operatorsPart({ operators }: DomainReport): Html {
  const roles = Object.entries(operators).filter(([, groups]) => groups.length > 0);
  return html`<h2>${t("domains.operators")}</h2><p class="lead">${t(roles.length === 0 ? "domains.no_operators" : "domains.operators_about")}</p>${
    roles.length > 0 && pairs(roles.map(([role, groups]) => [roleWord(role), joined(groups)]))
  }`;
}

function domainPart(domain: DomainReport): Html {
  const { name, aliases, origin, enabled, message, protocols, attributes } = domain;
  const { mail_credentials: credentials, second_factor: second } = domain;
  const values = Object.entries(attributes);
  return html`<h2>${domainText(name)} ${stateOf(domain)}</h2><p class="lead">${word("domain_record", origin)}${
    !enabled && html` ${t("domains.disabled")}`
  }</p>${pairs([
    [t("domains.aliases"), aliases.length > 0 && joined(aliases.map(writtenDomain))],
    [t("domains.message"), message],
    [t("col.backends"), backendsOf(domain)],
    [t("domains.protocols"), protocols.length === 0 ? t("domains.everything") : joined(protocols)],
    [t("domains.mail_programs"), word("mail_credentials", credentials)],
    [t("domains.second_factor"), second && word("factor_demand", second)],
  ])}${signInsPart(domain)}${operatorsPart(domain)}${
    values.length > 0 &&
    html`<h2>${t("difference.attributes")}</h2>${pairs(values.map(([key, list]) => [key, joined(list)]))}`
  }`;
}

/** A domain, or all others. */
interface Row {
  readonly name: Html | undefined;
  readonly report?: DomainReport;
  readonly traffic: DomainTraffic | undefined;
}

const numberColumn = (name: Html, of: (row: Row) => number | undefined): Column<Row> => ({
  name,
  isNumber: true,
  cell: (row) => {
    const count = of(row);
    return count === undefined ? undefined : countText(count);
  },
});

/** What would make the table wider than a tablet. */
function below({ report, traffic }: Row): Html | undefined {
  const signIns = report?.sign_ins;
  const facts = [
    ...(signIns === undefined
      ? []
      : [
          html`${t("account.factors")}: ${countText(signIns.second_factors)}`,
          html`${t("account.app_passwords")}: ${countText(signIns.app_passwords)}`,
        ]),
    ...(traffic?.last === undefined ? [] : [html`${t("domains.last")}: ${time(traffic.last)}`]),
  ];
  return facts.length === 0 ? undefined : html`<small>${joined(facts)}</small>`;
}

function rowsOf({ domains, others }: DomainList): readonly Row[] {
  const rows = domains.map((report) => ({ name: domainText(report.name), report, traffic: report.sign_ins }));
  return others === undefined ? rows : [...rows, { name: t("domains.others"), traffic: others }];
}

function listPart(list: DomainList): Html {
  const { domains, next, source } = list;
  const rows = table<Row>({
    label: t("page.domains"),
    rows: rowsOf(list),
    columns: [
      {
        name: t("domains.domain"),
        cell: ({ report, name }) =>
          report === undefined
            ? name
            : html`<a href="${linkTo(report.name)}">${name}</a>${!report.enabled && html` ${stateOf(report)}`}`,
      },
      numberColumn(t("rehearsal.accounts"), ({ report }) => report?.sign_ins?.accounts),
      numberColumn(t("col.successes"), ({ traffic }) => traffic?.successes),
      numberColumn(t("col.refused"), ({ traffic }) => traffic?.failures),
      { name: t("domains.days"), cell: ({ traffic }) => traffic && smallChart(traffic) },
    ],
    below,
  });
  return html`${source !== "none" && html`<p class="lead">${t("domains.source")}</p>`}${domains.length === 0 ? html`<p class="lead">${t("domains.none")}</p>` : rows}${
    next !== undefined &&
    html`<p><a href="${pathTo("consoleDomains")}?${new URLSearchParams({ cursor: next }).toString()}">${t("house.next")}</a></p>`
  }`;
}

function form(name: string): Html {
  return html`<form method="get" action="${pathTo("consoleDomains")}" class="search"><div class="field"><label for="domain">${t("domains.label")}</label><input type="text" id="domain" name="name" value="${name}" maxlength="255" autocomplete="off" autocapitalize="none" spellcheck="false" required></div><button type="submit">${t("house.show")}</button></form>`;
}

const lead = (text: Html): Html => html`<p class="lead">${text}</p>`;

function contentOf(view: DomainsView): Html {
  const { isOfSite } = view;
  if ("list" in view) {
    const { domains, has_records: hasRecords } = view.list;
    if (!hasRecords) return lead(t("domains.unused"));
    if (isOfSite) return html`${form("")}${listPart(view.list)}`;
    return domains.length === 0 ? lead(t("domains.gone")) : html`${domains.map(domainPart)}`;
  }
  const { name, report } = view;
  if (report?.origin === "none") return lead(t("domains.unused"));
  const found = report === undefined ? lead(t("domains.unknown", { name })) : domainPart(report);
  return isOfSite
    ? html`${form(name)}${found}<p><a href="${pathTo("consoleDomains")}">${t("domains.all")}</a></p>`
    : found;
}

/** The domains that the operator may see, and the record in effect of each. */
export function domainsPage(view: DomainsView): ConsolePage {
  const title = t("page.domains");
  return { title, id: "domains", body: html`<h1>${title}</h1>${contentOf(view)}` };
}

const readList = createRequireAnswer(DomainList);
const readReport = createReadAnswer(DomainReport);
/** Of a domain name; a longer text is none. */
const longest = 255;

async function reportOn({ ask }: ConsolePagesDeps, operator: Operator, typed: string) {
  const name = canonicalDomain(typed);
  return name === undefined ? undefined : readReport(ask, operator, { operation: "showDomain", path: { name } });
}

/** `GET /console/domains`: those of the configuration; with `name`, one of them, or one that the source has. */
export async function getDomainsPage(deps: ConsolePagesDeps, visit: ConsoleVisit): Promise<PageAnswer> {
  const { request, operator } = visit;
  const [name = "", cursor = ""] = ["name", "cursor"].map((one) =>
    (queryOf(request, one) ?? "").trim().slice(0, longest),
  );
  const isOfSite = operator.domain === undefined;
  if (name !== "") return domainsPage({ name, report: await reportOn(deps, operator, name), isOfSite });
  const query = cursor === "" ? {} : { cursor };
  return domainsPage({ list: await readList(deps.ask, operator, { operation: "listDomains", query }), isOfSite });
}
