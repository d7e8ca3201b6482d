import {
  type Attacks,
  type BanRecord,
  type BanRecordPage,
  type ConsoleActionId,
  pathTo,
} from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { type Actionable, actionList } from "./action-forms.ts";
import type { ConsolePage } from "./console-document.ts";
import { livePart } from "./live-part.ts";
import { liveScript } from "./live-script.ts";
import { doneNotice, type SubjectLinks, time } from "./shown-values.ts";

export type BanOrder = "asc" | "desc";

export interface BansView extends Actionable {
  readonly attacks: Attacks;
  readonly bans: BanRecordPage;
  readonly order: BanOrder;
  /** Empty: all rules. */
  readonly rule: string;
  readonly done: ConsoleActionId | undefined;
}

const width = 600;
const height = 80;

/** Failures per minute as a line; its maximum is in words beside it. */
function sparkline(failures: readonly number[]): Html {
  const most = Math.max(1, ...failures);
  const step = width / Math.max(1, failures.length - 1);
  const points = failures.map(
    (count, index) => `${(index * step).toFixed(1)},${(height - (count / most) * height).toFixed(1)}`,
  );
  return html`<svg class="spark" viewBox="0 -4 ${width} ${height + 8}" preserveAspectRatio="none" role="img" aria-label="Failures per minute in the last hour"><polyline points="${points.join(
    " ",
  )}" fill="none" vector-effect="non-scaling-stroke"/></svg>`;
}

function traffic({ minutes }: Attacks): Html {
  if (minutes.length === 0) return html`<p class="lead">Sign-ins are not recorded.</p>`;
  const failures = minutes.map(({ denied, blocked }) => denied + blocked);
  const sum = failures.reduce((total, count) => total + count, 0);
  return html`${sparkline(failures)}<p>${sum} failures in the last hour, at most ${Math.max(...failures)} in a minute.</p>`;
}

function counted({ search }: SubjectLinks, items: readonly (readonly [name: string, count: string])[]): Html {
  return items.length === 0
    ? html`<p class="lead">None.</p>`
    : html`<ul class="counted">${items.map(
        ([name, count]) => html`<li><a href="${search(name)}">${name}</a> <span>${count}</span></li>`,
      )}</ul>`;
}

function accountsPart({ attacks: { accounts }, links }: LiveBans): Html {
  return counted(
    links,
    accounts.map(({ account, addresses, delayed_until: until }) => [
      account,
      `${addresses} addresses${until === undefined ? "" : `, delayed until ${until.slice(0, 19).replace("T", " ")} UTC`}`,
    ]),
  );
}

function banItem(view: BansView, { network, rule, start, end, failures }: BanRecord): Html {
  return html`<li><a href="${view.links.search(network)}">${network}</a><p>Rule ${rule}${
    failures !== undefined && html`, after ${failures} failures`
  }, from ${time(start)} until ${time(end)}</p>${actionList(view, "network", network)}</li>`;
}

const addressOf = (view: BansView, more: Readonly<Record<string, string>>): string => {
  const rule = view.rule === "" ? {} : { rule: view.rule };
  return `${pathTo("consoleBans")}?${new URLSearchParams({ order: view.order, ...rule, ...more }).toString()}`;
};

function filters(view: BansView): Html {
  const { rule, order } = view;
  const [other, label] =
    order === "asc"
      ? (["desc", "Sort by end, latest first"] as const)
      : (["asc", "Sort by end, earliest first"] as const);
  return html`<form method="get" action="${pathTo("consoleBans")}" class="search"><input type="hidden" name="order" value="${order}"><div class="field"><label for="rule">Only this rule</label><input type="text" id="rule" name="rule" value="${rule}" maxlength="255" autocomplete="off" spellcheck="false"></div><button type="submit">Filter</button></form><p><a href="${addressOf(
    view,
    { order: other },
  )}">${label}</a></p>`;
}

function bansPart(view: BansView): Html {
  const { bans, total, next } = view.bans;
  return html`<h2>Bans</h2><p>${total} bans are in force, by all rules.</p>${filters(view)}${
    bans.length > 0 && html`<ul class="things">${bans.map((ban) => banItem(view, ban))}</ul>`
  }${next !== undefined && html`<p><a href="${addressOf(view, { cursor: next })}">Next page</a></p>`}`;
}

type LiveBans = Pick<BansView, "attacks" | "links">;

/** What changes by itself. The list of bans does not: an operator may be filling in its forms. */
export function liveBans(view: LiveBans): Html {
  const { attacks, links } = view;
  return html`${traffic(attacks)}<h2>Networks with most failures</h2>${counted(
    links,
    attacks.networks.map(({ network, failures }) => [network, `${failures} failures`]),
  )}<h2>Accounts under attack</h2>${accountsPart(view)}`;
}

/** What happens to the site now. */
export function bansPage(view: BansView): ConsolePage {
  return {
    title: "Bans and attacks",
    script: liveScript.path,
    body: html`${doneNotice(view.done)}<h1>Bans and attacks</h1>${livePart(pathTo("consoleBansEvents"), liveBans(view))}${bansPart(view)}`,
  };
}
