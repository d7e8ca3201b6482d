import { Attacks, type BanRecord, BanRecordPage, pathTo, SignInSeries } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { type Html, html } from "@postern/shared/platform/pages";
import type { Operator } from "../../operators/operator.ts";
import { comma, joined, t } from "../../texts/texts.ts";
import { type Actionable, actionList, actNotice } from "../action-forms.ts";
import { actionableOn } from "../actionable.ts";
import { createReadAnswer } from "../api-answer.ts";
import { chartFigure } from "../charts/chart.ts";
import { outcomesChart } from "../charts/sign-in-charts.ts";
import type { ConsolePage } from "../console-document.ts";
import { type ConsoleVisit, type PageAnswer, queryOf } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { getEvents } from "../get-events.ts";
import { table } from "../house/table.ts";
import { livePart } from "../live-script.ts";
import { exactTime, linksOf, networkLink, type SubjectLinks, time } from "../shown-values.ts";

type BanOrder = "asc" | "desc";

export interface BansView extends Actionable {
  readonly attacks: Attacks;
  /** Sign-ins of the last hour. */
  readonly series: SignInSeries;
  readonly bans: BanRecordPage;
  readonly order: BanOrder;
  /** Empty: all rules. */
  readonly rule: string;
}

type Item = readonly [name: string, count: Html];

/** Names with counts, each with a link to its search. */
export function counted({ search }: SubjectLinks, items: readonly Item[]): Html {
  return items.length === 0
    ? html`<p class="lead">${t("house.none")}</p>`
    : html`<ul class="counted">${items.map(
        ([name, count]) => html`<li><a href="${search(name)}">${name}</a> <span>${count}</span></li>`,
      )}</ul>`;
}

type AttackedAccount = Attacks["accounts"][number];

/** Counts once, however often and from wherever it is sent. */
const isOldPassword = ({ wrong_passwords: count }: AttackedAccount): boolean => count === 1;

const accountItem = ({ account, addresses, delayed_until: until }: AttackedAccount): Item => [
  account,
  html`${t("bans.addresses", { count: addresses })}${until !== undefined && html`${comma}${t("bans.delayed", { time: exactTime(until) })}`}`,
];

/** Those with most addresses. */
export function attackedAccounts({ accounts }: Attacks, atMost: number): readonly Item[] {
  return accounts
    .filter((one) => !isOldPassword(one))
    .slice(0, atMost)
    .map(accountItem);
}

function accountsPart({ attacks, links }: LiveBans): Html {
  const old = attacks.accounts.filter((one) => isOldPassword(one));
  return html`<section><h2>${t("bans.attacked")}</h2>${counted(
    links,
    attackedAccounts(attacks, attacks.accounts.length),
  )}</section>${old.length > 0 && html`<section><h2>${t("bans.old")}</h2><p class="lead">${t("bans.old_about")}</p>${counted(links, old.map(accountItem))}</section>`}`;
}

function networkText({ failures, repeated = 0, refused = 0 }: Attacks["networks"][number]): Html {
  return joined([
    t("bans.failures", { count: failures }),
    repeated > 0 && t("bans.repeated", { count: repeated }),
    refused > 0 && t("bans.refused", { count: refused }),
  ]);
}

export const networkItems = (networks: Attacks["networks"]): readonly Item[] =>
  networks.map((one) => [one.network, networkText(one)]);

const addressOf = (view: BansView, more: Readonly<Record<string, string>>): string => {
  const rule = view.rule === "" ? {} : { rule: view.rule };
  return `${pathTo("consoleBans")}?${new URLSearchParams({ order: view.order, ...rule, ...more }).toString()}`;
};

/** The end is the only order that a million bans can be read in. */
function banTable(view: BansView, rows: readonly BanRecord[]): Html {
  const [order, other, hint] =
    view.order === "asc"
      ? (["ascending", "desc", t("bans.sort_latest")] as const)
      : (["descending", "asc", t("bans.sort_earliest")] as const);
  return table({
    label: t("col.bans"),
    rows,
    columns: [
      { name: t("col.network"), cell: ({ network }) => networkLink(view.links, network) },
      { name: t("col.rule"), cell: ({ rule }) => html`<a href="${addressOf(view, { rule })}">${rule}</a>` },
      { name: t("col.failures"), isNumber: true, cell: ({ failures }) => failures ?? t("house.unknown") },
      { name: t("col.start"), cell: ({ start }) => time(start) },
      {
        name: t("col.end"),
        cell: ({ end }) => time(end),
        sort: { order, hint, href: addressOf(view, { order: other }) },
      },
    ],
    below: ({ network }) => actionList(view, "network", network),
  });
}

function filters(view: BansView): Html {
  const { rule, order } = view;
  return html`<form method="get" action="${pathTo("consoleBans")}" class="search"><input type="hidden" name="order" value="${order}"><div class="field"><label for="rule">${t("bans.rule")}</label><input type="text" id="rule" name="rule" value="${rule}" maxlength="255" autocomplete="off" spellcheck="false"></div><button type="submit" class="quiet">${t("house.filter")}</button></form>${
    rule !== "" && html`<p><a href="${pathTo("consoleBans")}?order=${order}">${t("bans.all_rules")}</a></p>`
  }`;
}

function bansPart(view: BansView): Html {
  const { bans, next } = view.bans;
  return html`<h2>${t("col.bans")}</h2>${filters(view)}${
    bans.length > 0
      ? html`<p class="lead">${t("bans.hint")}</p>${banTable(view, bans)}`
      : html`<p class="lead">${next === undefined ? t("house.none") : t("bans.none_here")}</p>`
  }${next !== undefined && html`<p class="pages"><a href="${addressOf(view, { cursor: next })}">${t("house.next")}</a></p>`}`;
}

interface LiveBans extends Pick<BansView, "attacks" | "links" | "series"> {
  /** Number of bans in force. */
  readonly total: number;
}

/** What changes by itself. The list of bans does not: an operator may be filling in its forms. */
function liveBans(view: LiveBans): Html {
  const { attacks, links, series, total } = view;
  return html`<div class="charts">${chartFigure(outcomesChart(series))}</div><p>${t("bans.in_force", { count: total })}</p><div class="lists"><section><h2>${t("bans.networks")}</h2>${counted(
    links,
    networkItems(attacks.networks),
  )}</section>${accountsPart(view)}</div>`;
}

/** What happens to the site now. */
export function bansPage(view: BansView): ConsolePage {
  const title = t("page.bans");
  return {
    title,
    id: "bans",
    body: html`${actNotice(view)}<h1>${title}</h1>${livePart(pathTo("consoleBansEvents"), liveBans({ ...view, total: view.bans.total }))}${bansPart(view)}`,
  };
}

const readBans = createReadAnswer(BanRecordPage);
const readAttacks = createReadAnswer(Attacks);
const readSeries = createReadAnswer(SignInSeries);
/** The chart has the rest. */
const minutes = "1";

/** Undefined if an operation rejected its request, such as one with an invalid cursor. */
async function readAll({ ask }: ConsolePagesDeps, operator: Operator, query: Readonly<Record<string, string>>) {
  const [attacks, series, bans] = await Promise.all([
    readAttacks(ask, operator, { operation: "showAttacks", query: { minutes } }),
    readSeries(ask, operator, { operation: "showSeries", query: { range: "1h" } }),
    readBans(ask, operator, { operation: "listBansByEnd", query }),
  ]);
  return attacks && series && bans && { attacks, series, bans };
}

/** `GET /console/bans`: an invalid cursor is a page that does not exist. */
export async function getBansPage(deps: ConsolePagesDeps, visit: ConsoleVisit): Promise<PageAnswer> {
  const { request, operator } = visit;
  const order: BanOrder = queryOf(request, "order") === "asc" ? "asc" : "desc";
  const rule = queryOf(request, "rule")?.trim() ?? "";
  const cursor = queryOf(request, "cursor") ?? "";
  const query = { order, ...(rule !== "" && { rule }), ...(cursor !== "" && { cursor }) };
  const found = await readAll(deps, operator, query);
  if (found === undefined) return "not_found";
  const next = `${pathTo("consoleBans")}?${new URLSearchParams(query).toString()}`;
  return bansPage({ ...actionableOn(deps, visit, () => next), ...found, order, rule });
}

/** `GET /console/bans/events` */
export function getBansEvents(deps: ConsolePagesDeps) {
  return getEvents(deps, {
    page: "bans",
    render: async (operator) => {
      const found = await readAll(deps, operator, { limit: "1" });
      if (found === undefined)
        throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "the requests of the page were rejected" });
      return liveBans({ ...found, links: linksOf(deps.handles, operator), total: found.bans.total });
    },
  });
}
