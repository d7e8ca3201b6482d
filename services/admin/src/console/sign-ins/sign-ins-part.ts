import type { AccountChange, BanRecord, DecisionHistoryPage } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import type { SubjectLinks } from "../shown-values.ts";
import { timeline } from "../timeline.ts";
import { changesPart } from "./changes.ts";
import { type LaneChart, laneChart } from "./lane-chart.ts";
import { byAccount, byNetwork, type LaneKind, lanesOf } from "./lanes.ts";

/** The list below the chart; the page would be too heavy with all of the largest history. */
const maxListed = 60;

/** Recorded sign-ins of an account or a network. */
export interface ShownSignIns {
  readonly links: SubjectLinks;
  /** Undefined: the decision history is off. */
  readonly history: DecisionHistoryPage | undefined;
  readonly bans: readonly BanRecord[];
  readonly nowMs: number;
}

function placesNote({ places }: DecisionHistoryPage): Html | undefined {
  if (places === "off")
    return html`<p class="lead">Countries and network owners are not shown, because neither auth.risk.city_file nor auth.risk.system_file is configured.</p>`;
  return places === "unavailable"
    ? html`<p class="lead">Countries and network owners are not shown, because no engine answered.</p>`
    : undefined;
}

type Shape = Pick<LaneChart, "title" | "laneWord" | "nameOf" | "changes">;

function part({ links, history, bans, nowMs }: ShownSignIns, kind: LaneKind, shape: Shape): Html {
  if (history === undefined)
    return html`<h2>Sign-ins</h2><p class="lead">Sign-ins are not recorded: observability.decision_history is off.</p>`;
  const { records, next } = history;
  const lanes = lanesOf(records, kind, { nowMs, bans });
  const itemOf = (record: number): string | undefined => (record < maxListed ? `sign-in-${record}` : undefined);
  return html`<h2>Sign-ins of the last 30 days</h2>${placesNote(history)}${laneChart({ ...lanes, ...shape, nowMs, itemOf })}${
    records.length > 0 &&
    html`<p class="lead">Ordinary sign-ins are counted by day. Refusals, and successes after a failure, are recorded individually for at most 14 days.${next !== undefined && " Only the latest 500 records are shown."}</p>`
  }${changesPart(shape.changes)}${timeline(links, records.slice(0, maxListed), itemOf)}${
    records.length > maxListed && html`<p class="lead">The latest ${maxListed} of ${records.length} records.</p>`
  }`;
}

/** By network. @param changes of the account */
export function accountSignIns(shown: ShownSignIns, changes: readonly AccountChange[]): Html {
  const { links } = shown;
  return part(shown, byNetwork, {
    title: "Sign-ins by network",
    laneWord: ["network", "networks"],
    nameOf: ({ name }) => (name === "unknown" ? html`No address` : html`<a href="${links.network(name)}">${name}</a>`),
    changes,
  });
}

/** By account. */
export function networkSignIns(shown: ShownSignIns): Html {
  const { links } = shown;
  return part(shown, byAccount, {
    title: "Sign-ins by account",
    laneWord: ["account", "accounts"],
    nameOf: ({ name }) => html`<a href="${links.account(name)}">${name}</a>`,
    changes: [],
  });
}
