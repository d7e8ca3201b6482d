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
import { livePart, liveScript } from "../live-script.ts";
import { networkLink } from "../network-link.ts";
import { doneNotice, plural, type SubjectLinks, time } from "../shown-values.ts";

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

type Item = readonly [name: string, count: string];

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
  `${plural(addresses, "address", "addresses")}${until === undefined ? "" : `, delayed until ${until.slice(0, 19).replace("T", " ")} UTC`}`,
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
  return html`<h2>Accounts under attack</h2>${counted(
    links,
    attackedAccounts(attacks, attacks.accounts.length),
  )}${old.length > 0 && html`<h2>Old password on a device</h2><p class="lead">One wrong password only, which counts once however often it is sent.</p>${counted(links, old.map(accountItem))}`}`;
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

/** A cell; its column's name shows where the columns are stacked. */
const cell = (column: string, content: Html | string): Html => html`<td data-column="${column}">${content}</td>`;

function banRow(view: BansView, { network, rule, start, end, failures }: BanRecord): Html {
  const ofRule = html`<a href="${addressOf(view, { rule })}">${rule}</a>`;
  return html`<tr>${cell("Network", networkLink(view.links, network))}${cell(
    "Rule",
    ofRule,
  )}${cell("Failures", failures === undefined ? "unknown" : String(failures))}${cell("Start", time(start))}${cell(
    "End",
    time(end),
  )}</tr><tr class="acts-row"><td colspan="5">${actionList(view, "network", network)}</td></tr>`;
}

/** The end is the only order that a million bans can be read in. */
function banTable(view: BansView, bans: readonly BanRecord[]): Html {
  const isRising = view.order === "asc";
  const [other, sorted] = isRising ? (["desc", "ascending"] as const) : (["asc", "descending"] as const);
  const hint = isRising ? "Sort by end, latest first" : "Sort by end, earliest first";
  const sortLink = html`<a href="${addressOf(view, { order: other })}" aria-label="${hint}">End ${isRising ? "↑" : "↓"}</a>`;
  return html`<table class="rows"><thead><tr><th scope="col">Network</th><th scope="col">Rule</th><th scope="col">Failures</th><th scope="col">Start</th><th scope="col" aria-sort="${sorted}">${sortLink}</th></tr></thead><tbody>${bans.map(
    (ban) => banRow(view, ban),
  )}</tbody></table>`;
}

function filters(view: BansView): Html {
  const { rule, order } = view;
  return html`<form method="get" action="${pathTo("consoleBans")}" class="search"><input type="hidden" name="order" value="${order}"><div class="field"><label for="rule">Only this rule</label><input type="text" id="rule" name="rule" value="${rule}" maxlength="255" autocomplete="off" spellcheck="false"></div><button type="submit">Filter</button></form>${
    rule !== "" && html`<p><a href="${pathTo("consoleBans")}?order=${order}">All rules</a></p>`
  }`;
}

function bansPart(view: BansView): Html {
  const { bans, next } = view.bans;
  return html`<h2>Bans</h2>${filters(view)}${
    bans.length > 0
      ? banTable(view, bans)
      : html`<p class="lead">${next === undefined ? "None." : "None on this page."}</p>`
  }${next !== undefined && html`<p><a href="${addressOf(view, { cursor: next })}">Next page</a></p>`}`;
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
  return html`<div class="charts">${chartFigure(outcomesChart(series))}</div><p>${inForce(total)}</p><h2>Networks with most failures</h2>${counted(
    links,
    networkItems(attacks.networks),
  )}${accountsPart(view)}`;
}

/** What happens to the site now. */
export function bansPage(view: BansView): ConsolePage {
  return {
    title: "Bans and attacks",
    script: liveScript.path,
    body: html`${doneNotice(view.done)}<h1>Bans and attacks</h1>${livePart(pathTo("consoleBansEvents"), liveBans({ ...view, total: view.bans.total }))}${bansPart(view)}`,
  };
}
