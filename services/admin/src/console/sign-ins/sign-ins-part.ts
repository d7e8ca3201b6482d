import type { AccountChange, BanRecord, DecisionHistoryPage } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { t, word } from "../../texts/texts.ts";
import { type SubjectLinks, time } from "../shown-values.ts";
import { timeline } from "../timeline.ts";
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
  if (places === "off") return html`<p class="lead">${t("sign_ins.no_places")}</p>`;
  return places === "unavailable" ? html`<p class="lead">${t("sign_ins.places_away")}</p>` : undefined;
}

type Shape = Pick<LaneChart, "laneKind" | "nameOf" | "changes">;

function part({ links, history, bans, nowMs }: ShownSignIns, kind: LaneKind, shape: Shape): Html {
  if (history === undefined) return html`<h2>${t("col.sign_ins")}</h2><p class="lead">${t("sign_ins.off")}</p>`;
  const { records, next } = history;
  const lanes = lanesOf(records, kind, { nowMs, bans });
  const itemOf = (record: number): string | undefined => (record < maxListed ? `sign-in-${record}` : undefined);
  return html`<h2>${t("sign_ins.title")}</h2>${placesNote(history)}${laneChart({ ...lanes, ...shape, nowMs, itemOf })}${
    records.length > 0 &&
    html`<p class="lead">${t("sign_ins.about")}${next !== undefined && html` ${t("sign_ins.only")}`}</p>`
  }${changesPart(shape.changes)}${timeline(links, records.slice(0, maxListed), itemOf)}${
    records.length > maxListed &&
    html`<p class="lead">${t("sign_ins.listed", { shown: maxListed, all: records.length })}</p>`
  }`;
}

/** By network. @param changes of the account */
export function accountSignIns(shown: ShownSignIns, changes: readonly AccountChange[]): Html {
  const { links } = shown;
  return part(shown, byNetwork, {
    laneKind: "network",
    nameOf: ({ name }) =>
      name === "unknown" ? t("sign_ins.no_address") : html`<a href="${links.network(name)}">${name}</a>`,
    changes,
  });
}

/** By account. */
export function networkSignIns(shown: ShownSignIns): Html {
  const { links } = shown;
  return part(shown, byAccount, {
    laneKind: "account",
    nameOf: ({ name }) => html`<a href="${links.account(name)}">${name}</a>`,
    changes: [],
  });
}

/** Factors; other reasons are for programs. */
const factors: ReadonlySet<string> = new Set(["totp", "webauthn", "recovery"]);

/** A change in words, such as `Second factor added (passkey) by the user`. */
function changeText({ event, reason = "", by }: AccountChange): Html {
  const change = word("change", event);
  const what = factors.has(reason) ? html`${change} (${word("change_factor", reason)})` : change;
  return by === "user" || by === "operator" ? t(`change_by.${by}`, { change: what }) : what;
}

/** Changes of an account as text. */
function changesPart(changes: readonly AccountChange[]): Html | undefined {
  return changes.length === 0
    ? undefined
    : html`<h3>${t("sign_ins.changes")}</h3><ul class="counted">${changes.map(
        (change) => html`<li><span class="name">${changeText(change)}</span> ${time(change.time)}</li>`,
      )}</ul>`;
}
