import {
  type Attacks,
  type BanRecord,
  type BanRecordPage,
  type ConsoleActionId,
  pathTo,
  type SignInSeries,
} from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { type Actionable, actionList } from "../action-forms.ts";
import { chartFigure } from "../charts/chart.ts";
import { outcomesChart } from "../charts/sign-in-charts.ts";
import type { ConsolePage } from "../console-document.ts";
import { table } from "../house/table.ts";
import { livePart } from "../live-script.ts";
import { networkLink } from "../network-link.ts";
import { doneNotice, exactTime, plural, type SubjectLinks, time } from "../shown-values.ts";

export type BanOrder = "asc" | "desc";

export interface BansView extends Actionable {
  readonly attacks: Attacks;
  /** Sign-ins of the last hour. */
  readonly series: SignInSeries;
  readonly bans: BanRecordPage;
  readonly order: BanOrder;
  /** Empty: all rules. */
  readonly rule: string;
  readonly done: ConsoleActionId | undefined;
}

type Item = readonly [name: string, count: Html | string];

/** Names with counts, each with a link to its search. */
export function counted({ search }: SubjectLinks, items: readonly Item[]): Html {
  return items.length === 0
    ? html`<p class="lead">None.</p>`
    : html`<ul class="counted">${items.map(
        ([name, count]) => html`<li><a href="${search(name)}">${name}</a> <span>${count}</span></li>`,
      )}</ul>`;
}

type AttackedAccount = Attacks["accounts"][number];

/** Counts once, however often and from wherever it is sent. */
const isOldPassword = ({ wrong_passwords: count }: AttackedAccount): boolean => count === 1;

const accountItem = ({ account, addresses, delayed_until: until }: AttackedAccount): Item => [
  account,
  html`${plural(addresses, "address", "addresses")}${until !== undefined && html`, delayed until ${exactTime(until)}`}`,
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
  return html`<section><h2>Accounts under attack</h2>${counted(
    links,
    attackedAccounts(attacks, attacks.accounts.length),
  )}</section>${old.length > 0 && html`<section><h2>Old password on a device</h2><p class="lead">One wrong password only, which counts once however often it is sent.</p>${counted(links, old.map(accountItem))}</section>`}`;
}

function networkText({ failures, repeated = 0, refused = 0 }: Attacks["networks"][number]): string {
  return [
    plural(failures, "failure", "failures"),
    ...(repeated > 0 ? [`${plural(repeated, "repetition", "repetitions")} of an old password on a device`] : []),
    ...(refused > 0 ? [`${refused} refused by a ban`] : []),
  ].join(", ");
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
      ? (["ascending", "desc", "Sort by end, latest first"] as const)
      : (["descending", "asc", "Sort by end, earliest first"] as const);
  return table({
    label: "Bans",
    rows,
    columns: [
      { name: "Network", cell: ({ network }) => networkLink(view.links, network) },
      { name: "Rule", cell: ({ rule }) => html`<a href="${addressOf(view, { rule })}">${rule}</a>` },
      { name: "Failures", isNumber: true, cell: ({ failures = "unknown" }) => failures },
      { name: "Start", cell: ({ start }) => time(start) },
      { name: "End", cell: ({ end }) => time(end), sort: { order, hint, href: addressOf(view, { order: other }) } },
    ],
    below: ({ network }) => actionList(view, "network", network),
  });
}

function filters(view: BansView): Html {
  const { rule, order } = view;
  return html`<form method="get" action="${pathTo("consoleBans")}" class="search"><input type="hidden" name="order" value="${order}"><div class="field"><label for="rule">Only this rule</label><input type="text" id="rule" name="rule" value="${rule}" maxlength="255" autocomplete="off" spellcheck="false"></div><button type="submit" class="quiet">Filter</button></form>${
    rule !== "" && html`<p><a href="${pathTo("consoleBans")}?order=${order}">All rules</a></p>`
  }`;
}

function bansPart(view: BansView): Html {
  const { bans, next } = view.bans;
  return html`<h2>Bans</h2>${filters(view)}${
    bans.length > 0
      ? banTable(view, bans)
      : html`<p class="lead">${next === undefined ? "None." : "None on this page."}</p>`
  }${next !== undefined && html`<p class="pages"><a href="${addressOf(view, { cursor: next })}">Next page</a></p>`}`;
}

interface LiveBans extends Pick<BansView, "attacks" | "links" | "series"> {
  /** Number of bans in force. */
  readonly total: number;
}

const inForce = (total: number): string =>
  total === 1 ? "1 ban is in force." : `${total.toLocaleString("en")} bans are in force.`;

/** What changes by itself. The list of bans does not: an operator may be filling in its forms. */
export function liveBans(view: LiveBans): Html {
  const { attacks, links, series, total } = view;
  return html`<div class="charts">${chartFigure(outcomesChart(series))}</div><p>${inForce(total)}</p><div class="lists"><section><h2>Networks with most failures</h2>${counted(
    links,
    networkItems(attacks.networks),
  )}</section>${accountsPart(view)}</div>`;
}

/** What happens to the site now. */
export function bansPage(view: BansView): ConsolePage {
  return {
    title: "Bans and attacks",
    body: html`${doneNotice(view.done)}<h1>Bans and attacks</h1>${livePart(pathTo("consoleBansEvents"), liveBans({ ...view, total: view.bans.total }))}${bansPart(view)}`,
  };
}
