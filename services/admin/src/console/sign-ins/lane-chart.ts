import type { AccountChange } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { comma, countText, dateText, joined, type TextKey, t } from "../../texts/texts.ts";
import { timeTicks } from "../charts/scales.ts";
import { time } from "../shown-values.ts";
import { type Lane, type LaneMark, type Lanes, type MarkShape, markShapes } from "./lanes.ts";

export interface LaneChart extends Lanes {
  /** What the lanes are. */
  readonly laneKind: "network" | "account";
  /** The name of a lane, with its link. */
  readonly nameOf: (lane: Lane) => Html;
  /** Changes of the account. */
  readonly changes: readonly AccountChange[];
  readonly nowMs: number;
  /** Id of the item of the list that a mark selects; undefined if the list does not have it. */
  readonly itemOf: (record: number) => string | undefined;
}

/** Days are drawn on a grid of this size and stretched to the width of the page; marks are not stretched. */
const width = 1000;
const height = 32;
const middle = height / 2;

const shapes: Readonly<Record<MarkShape, string>> = {
  circle: "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z",
  triangle: "M0-5.5L5.5 4.5H-5.5z",
  square: "M-4-4H4V4H-4z",
  diamond: "M0-6L6 0L0 6L-6 0z",
};
const colours = ["ok", "wrong", "unknown", "denied", "blocked", "tempfail"] as const;

const rounded = (value: number): string => String(Math.round(value * 10) / 10);

type Range = Pick<Lanes, "fromMs" | "toMs">;

const partOf = ({ fromMs, toMs }: Range, timeMs: number): number =>
  Math.min(1, Math.max(0, (timeMs - fromMs) / (toMs - fromMs)));

const momentOf = (ms: number): Html => html`${dateText(ms)}${comma}${new Date(ms).toISOString().slice(11, 16)}`;

/** Ordinary sign-ins, one bar for each day. */
function dayBars({ days }: Lane, { fromMs }: Range, highest: number): Html | undefined {
  if (days.size === 0) return undefined;
  const step = width / 30;
  let path = "";
  const texts: Html[] = [];
  for (const [day, count] of [...days].toSorted(([a], [b]) => a - b)) {
    // The root, because one program may sign in a thousand times as often as another.
    const tall = rounded(4 + (height - 8) * Math.sqrt(count / highest));
    path += `M${rounded((day + 0.1) * step)} ${height}v-${tall}h${rounded(step * 0.8)}V${height}z`;
    texts.push(html`${dateText(fromMs + day * 86_400_000)}: ${countText(count)}`);
  }
  return html`<path class="mark c-ok day" d="${path}"><title>${t("lanes.ordinary")} ${joined(texts)}</title></path>`;
}

function banBands({ bans }: Lane, range: Range): readonly Html[] {
  return bans.map(({ network, rule, start, end }) => {
    const [from, to] = [partOf(range, Date.parse(start)), partOf(range, Date.parse(end))];
    // A ban of an hour would be thinner than a line.
    const wide = Math.max(0.004, to - from);
    return html`<rect class="band" x="${rounded(Math.min(from, 1 - wide) * width)}" width="${rounded(wide * width)}" height="${height}"><title>${t("lanes.ban", { network, rule, time: momentOf(Date.parse(end)) })}</title></rect>`;
  });
}

/** A link that only those need who point; the list has the same for everyone else. */
function markItem(mark: LaneMark, chart: LaneChart): Html {
  const { timeMs, shape, colour, isFirst, text, records } = mark;
  const x = rounded(100 * partOf(chart, timeMs));
  const drawn = html`<use class="${isFirst ? "ring" : "mark"} c-${colour}" href="#m-${shape}" x="${x}%" y="${middle}"/>`;
  const item = records.map(chart.itemOf).find((id) => id !== undefined);
  const title = html`<title>${momentOf(timeMs)}: ${text}</title>`;
  return item === undefined
    ? html`<g>${title}${drawn}</g>`
    : html`<a href="#${item}" tabindex="-1">${title}${drawn}</a>`;
}

function linesOf(chart: LaneChart): string {
  const changedMs = chart.changes.map((change) => Date.parse(change.time)).filter((ms) => ms >= chart.fromMs);
  const times = new Set(changedMs.map((ms) => rounded(width * partOf(chart, ms))));
  return [...times].map((x) => `M${x} 0V${height}`).join("");
}

/** Beside the cards of an account there is little room. */
const ticksOf = ({ fromMs, toMs, laneKind }: LaneChart): readonly number[] =>
  timeTicks(fromMs, toMs, laneKind === "network" ? 2 : 6);

function gridOf(chart: LaneChart): string {
  return ticksOf(chart)
    .map((ms) => `M${rounded(width * partOf(chart, ms))} 0V${height}`)
    .join("");
}

interface Drawn {
  readonly grid: string;
  readonly lines: string;
  readonly highest: number;
}

function laneSvg(lane: Lane, chart: LaneChart, { grid, lines, highest }: Drawn): Html {
  return html`<svg class="lane" width="100%" height="${height}" aria-hidden="true"><svg width="100%" height="${height}" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none"><path class="grid" d="${grid}"/>${banBands(lane, chart)}${dayBars(lane, chart, highest)}${
    lines !== "" && html`<path class="line change" d="${lines}"/>`
  }</svg>${lane.marks.toSorted((a, b) => a.timeMs - b.timeMs).map((mark) => markItem(mark, chart))}</svg>`;
}

function axis(chart: LaneChart): Html {
  const texts = ticksOf(chart).flatMap((ms) => {
    const x = 100 * partOf(chart, ms);
    return x < 4 || x > 96 ? [] : [html`<text x="${rounded(x)}%" y="12" text-anchor="middle">${dateText(ms)}</text>`];
  });
  const defs = Object.entries(shapes).map(([name, path]) => html`<path id="m-${name}" d="${path}"/>`);
  return html`<svg class="lane-axis" width="100%" height="16" aria-hidden="true"><defs>${defs}</defs>${texts}</svg>`;
}

/** A cell; its column's name shows where the columns are stacked. */
const cell = (column: TextKey, content: Html): Html => html`<td data-column="${t(column)}">${content}</td>`;

function row(lane: Lane, chart: LaneChart, drawn: Drawn): Html {
  const { name, members, place, programs, successes, failures, last, bans } = lane;
  const label = name === "" ? t(`lanes.other_${chart.laneKind}`, { count: members }) : chart.nameOf(lane);
  const facts = [place, programs.slice(0, 2).join(", ")].filter((fact) => fact !== undefined && fact !== "");
  return html`<tr><th scope="row">${label}${bans.length > 0 && html` <span class="badge">${t("lanes.banned")}</span>`}${facts.length > 0 && html`<small>${joined(facts, "; ")}</small>`}</th><td class="drawn">${laneSvg(lane, chart, drawn)}</td>${cell("col.successes", countText(successes))}${cell("col.refused", countText(failures))}${cell("col.last", time(last))}</tr>`;
}

const key = (drawn: Html): Html =>
  html`<svg class="key" width="14" height="14" viewBox="-7 -7 14 14" aria-hidden="true">${drawn}</svg>`;

function legend({ lanes, changes }: LaneChart): Html {
  const marks = lanes.flatMap((lane) => lane.marks);
  const shown = colours.filter((colour) => marks.some((mark) => mark.colour === colour && !mark.isFirst));
  const used = markShapes.filter((shape) => marks.some((mark) => mark.shape === shape));
  return html`<ul class="legend">${lanes.some(({ days }) => days.size > 0) && html`<li>${key(html`<path class="mark c-ok day" d="M-5 6V-3H5V6z"/>`)} ${t("lanes.day")}</li>`}${shown.map(
    (colour) =>
      html`<li>${key(html`<rect class="mark c-${colour}" x="-6" y="-6" width="12" height="12" rx="3"/>`)} ${t(`lanes.colour_${colour}`)}</li>`,
  )}${used.map((shape) => html`<li>${key(html`<use class="mark shape" href="#m-${shape}"/>`)} ${t(`lanes.shape_${shape}`)}</li>`)}${
    marks.some(({ isFirst }) => isFirst) &&
    html`<li>${key(html`<use class="ring c-ok" href="#m-circle"/>`)} ${t("lanes.first")}</li>`
  }${lanes.some(({ bans }) => bans.length > 0) && html`<li>${key(html`<rect class="band" x="-6" y="-6" width="12" height="12"/>`)} ${t("lanes.in_force")}</li>`}${
    changes.length > 0 && html`<li>${key(html`<path class="line change" d="M0-7V7"/>`)} ${t("lanes.change")}</li>`
  }</ul>`;
}

/** Sign-ins over time as a table, whose rows have a picture of their time beside the numbers. */
export function laneChart(chart: LaneChart): Html {
  const { lanes, laneKind, isMerged } = chart;
  if (lanes.length === 0) return html`<p class="lead">${t("sign_ins.none")}</p>`;
  const highest = Math.max(1, ...lanes.flatMap(({ days }) => [...days.values()]));
  const drawn = { grid: gridOf(chart), lines: linesOf(chart), highest };
  const members = lanes.reduce((sum, lane) => sum + lane.members, 0);
  return html`<table class="lanes"><caption class="hidden">${t(`lanes.caption_${laneKind}`, { count: members })}</caption><thead><tr><th scope="col">${t(`col.${laneKind}`)}</th><th scope="col" class="drawn"><span class="hidden">${t("lanes.days")}</span>${axis(chart)}</th><th scope="col">${t("col.successes")}</th><th scope="col">${t("col.refused")}</th><th scope="col">${t("col.last")}</th></tr></thead><tbody>${lanes.map(
    (lane) => row(lane, chart, drawn),
  )}</tbody></table>${legend(chart)}${isMerged && html`<p class="lead">${t("lanes.merged")}</p>`}`;
}
