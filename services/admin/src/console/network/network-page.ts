import {
  DecisionHistoryPage,
  type DecisionRecord,
  Explanation,
  NetworkReport,
  pathTo,
} from "@postern/shared/contracts";
import { canonicalDomain } from "@postern/shared/platform/net";
import { type Html, html } from "@postern/shared/platform/pages";
import type { Operator } from "../../operators/operator.ts";
import { countText, joined, t } from "../../texts/texts.ts";
import { type Actionable, actionList, actNotice, createOffered } from "../action-forms.ts";
import { actionableOn } from "../actionable.ts";
import { createReadAnswer } from "../api-answer.ts";
import type { ConsolePage } from "../console-document.ts";
import { type ConsoleVisit, goTo, type PageAnswer, queryOf } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { pairs } from "../house/pairs.ts";
import { table } from "../house/table.ts";
import { sendersPart } from "../senders-part.ts";
import { exactTime, placeText, time } from "../shown-values.ts";
import { byAccount, programOf } from "../sign-ins/lanes.ts";
import { networkSignIns } from "../sign-ins/sign-ins-part.ts";
import { causesPart, incompleteText, verdictPart } from "../verdict-part.ts";

/** Which of the network's sign-ins are shown. */
interface DomainFilter {
  /** As typed; empty: of all domains. */
  readonly domain: string;
  /** Whether that is a domain, or empty. */
  readonly isValid: boolean;
  /** Of the network. */
  readonly handle: string;
}

export interface NetworkView extends Actionable {
  readonly report: NetworkReport;
  readonly explanation: Explanation;
  /** Undefined: the decision history is off. */
  readonly history: DecisionHistoryPage | undefined;
  readonly filter: DomainFilter;
  readonly nowMs: number;
}

const minuteSeconds = 60;
const hourSeconds = 60 * minuteSeconds;
const daySeconds = 24 * hourSeconds;

/** Of a rule: as long as it is configured, or a little longer. */
export function durationText(seconds: number): Html {
  if (seconds >= 2 * daySeconds) return t("duration.days", { count: Math.ceil(seconds / daySeconds) });
  if (seconds >= 2 * hourSeconds) return t("duration.hours", { count: Math.ceil(seconds / hourSeconds) });
  return t("duration.minutes", { count: Math.max(1, Math.ceil(seconds / minuteSeconds)) });
}

function bansPart({ report: { bans }, links }: NetworkView): Html {
  if (bans.length === 0) return html`<h2>${t("col.bans")}</h2><p class="lead">${t("network.no_bans")}</p>`;
  return html`<h2>${t("col.bans")}</h2>${table({
    label: t("col.bans"),
    rows: bans,
    columns: [
      { name: t("col.network"), cell: ({ network }) => html`<a href="${links.search(network)}">${network}</a>` },
      { name: t("col.rule"), cell: ({ rule }) => rule },
      { name: t("col.start"), cell: ({ start }) => time(start) },
      {
        name: t("col.end"),
        cell: ({ end }) => html`${time(end)} <small>${exactTime(end)}</small>`,
      },
    ],
  })}`;
}

const counter = (rule: string, failures: number, limit: number): Html =>
  html`<progress max="${limit}" value="${Math.min(failures, limit)}" aria-label="${t("network.failures_by", { rule })}"></progress> ${t("house.of", { part: failures, all: limit })}`;

function rulesPart({ report: { rules } }: NetworkView): Html {
  if (rules.length === 0) return html`<h2>${t("network.rules")}</h2><p class="lead">${t("network.no_rules")}</p>`;
  return html`<h2>${t("network.rules")}</h2>${table({
    label: t("network.rules"),
    rows: rules,
    columns: [
      { name: t("col.rule"), cell: ({ rule }) => rule },
      { name: t("col.network"), cell: ({ network }) => network },
      { name: t("col.failures"), cell: ({ rule, failures, limit }) => counter(rule, failures, limit) },
      { name: t("network.within"), cell: ({ period_seconds: period }) => durationText(period) },
      {
        name: t("network.counts"),
        cell: ({ protocols }) => (protocols.length === 0 ? t("network.all_protocols") : protocols.join(", ")),
      },
    ],
  })}<p class="lead">${t("network.tolerance")}</p>`;
}

/** As many together as the table of sign-ins has rows. */
function accountsText(records: readonly DecisionRecord[]): Html {
  const accounts = new Set(records.flatMap(({ account }) => account ?? []));
  const names = new Set(records.map(byAccount.nameOf).filter((name) => !accounts.has(name)));
  return joined([countText(accounts.size), names.size > 0 && t("network.names", { count: names.size })]);
}

function factsPart({ report, history }: NetworkView): Html {
  const { place, distinct_passwords: passwords } = report;
  const records = history?.records ?? [];
  const programs = [...new Set(records.map(programOf))];
  return html`<h2>${t("network.known")}</h2>${pairs([
    [t("network.place"), placeText(place) ?? t("house.unknown")],
    [t("network.accounts"), history && accountsText(history.records)],
    [t("network.passwords"), passwords !== undefined && t("network.passwords_about", { count: passwords })],
    [t("network.programs"), programs.length > 0 && joined([...programs.slice(0, 12), programs.length > 12 && "…"])],
  ])}`;
}

/** Where domains have rules of their own, the sign-ins of one of them. */
function domainForm({ operator, history, filter }: NetworkView): Html | false {
  const { domain, handle, isValid } = filter;
  const areUsed = domain !== "" || history?.records.some((record) => record.domain !== undefined) === true;
  if (operator.domain !== undefined || !areUsed) return false;
  return html`<form method="get" action="${pathTo("consoleNetwork")}" class="search"><input type="hidden" name="for" value="${handle}"><div class="field"><label for="domain">${t("domains.label")}</label><input type="text" id="domain" name="domain" value="${domain}" maxlength="255" autocomplete="off" autocapitalize="none" spellcheck="false"></div><button type="submit">${t("house.filter")}</button></form>${!isValid && html`<p class="lead" role="alert">${t("audit.invalid")}</p>`}`;
}

/** One address or network: whether it is banned or near it, and who signs in from there. */
export function networkPage(view: NetworkView): ConsolePage {
  const { report, explanation, history, links, nowMs } = view;
  const { network, incomplete } = report;
  const title = t("network.title", { network });
  const { domain } = view.operator;
  const offered = createOffered();
  const others = (): Html | undefined => actionList(view, "network", network, offered);
  const verdict = verdictPart(view, explanation, { offered, others });
  return {
    title,
    body: html`${actNotice(view)}<h1>${title}</h1>${verdict}${causesPart(view, explanation, offered)}${incomplete.map(
      (missing) => html`<p class="note">${incompleteText(missing)}</p>`,
    )}${domainForm(view)}${domain !== undefined && html`<p class="note">${t("network.of_domain", { domain })}</p>`}${sendersPart(links, explanation)}${factsPart(view)}${
      (domain === undefined || report.bans.length > 0) && bansPart(view)
    }${domain === undefined && rulesPart(view)}${networkSignIns({
      links,
      history,
      bans: [],
      nowMs,
    })}`,
  };
}

const readExplanation = createReadAnswer(Explanation);
const readNetwork = createReadAnswer(NetworkReport);
const readHistory = createReadAnswer(DecisionHistoryPage);
/** The most that the interface lists. */
const maxRecords = "500";

/** Counts of a network concern all accounts that sign in from there, so operators of one domain do not see them. */
function reportForDomain(network: string, { bans }: Explanation): NetworkReport {
  return { network: network.trim(), rules: [], bans, incomplete: [] };
}

async function historyOf({ ask }: ConsolePagesDeps, operator: Operator, network: string, filter: DomainFilter) {
  const { domain, isValid } = filter;
  if (!isValid) return { records: [] };
  const query = { network, limit: maxRecords, ...(domain !== "" && { domain }) };
  return readHistory(ask, operator, { operation: "listDecisions", query });
}

/** `GET /console/network`, with `for`, the handle of an address or a network. Others have no page. */
export async function getNetworkPage(deps: ConsolePagesDeps, visit: ConsoleVisit): Promise<PageAnswer> {
  const { ask, handles, clock } = deps;
  const { request, reply, operator } = visit;
  const handle = queryOf(request, "for");
  if (handle === undefined) return goTo(reply, pathTo("consoleSearch"));
  const network = handles.read(operator.account, handle);
  if (network === undefined) return "link";
  const typed = (queryOf(request, "domain") ?? "").trim();
  const filter = { handle, domain: typed, isValid: typed === "" || canonicalDomain(typed) !== undefined };
  const [explanation, history] = await Promise.all([
    readExplanation(ask, operator, { operation: "explain", query: { query: network } }),
    historyOf(deps, operator, network, filter),
  ]);
  const report =
    operator.domain === undefined
      ? await readNetwork(ask, operator, { operation: "showNetwork", query: { network } })
      : explanation && reportForDomain(network, explanation);
  if (report === undefined || explanation === undefined) return "not_found";
  const actionable = actionableOn(deps, visit, (links) => links.network(network));
  return networkPage({ ...actionable, report, explanation, history, filter, nowMs: clock.now() });
}
