import type { BanRecord, DecisionRecord } from "@postern/shared/contracts";
import { createCidrSet, parseCidr } from "@postern/shared/platform/net";
import { type Html, html } from "@postern/shared/platform/pages";
import { reasonHtml } from "../../texts/messages.ts";
import { comma, t } from "../../texts/texts.ts";
import type { ChartColour } from "../charts/chart.ts";
import { placeText } from "../shown-values.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** As long as ordinary sign-ins are counted. */
const days = 30;
const maxLanes = 12;
const maxMarks = 400;

/** By what signed in: reads mail, sends mail, the sign-in pages, or a program of the JWT endpoints. */
export const markShapes = ["circle", "triangle", "square", "diamond"] as const;
export type MarkShape = (typeof markShapes)[number];

/** Sign-ins that are recorded individually, as one point of time. */
export interface LaneMark {
  readonly timeMs: number;
  readonly colour: ChartColour;
  readonly shape: MarkShape;
  /** The first sign-in that the lane has. */
  readonly isFirst: boolean;
  readonly count: number;
  readonly text: Html;
  /** Positions of the records in the list. */
  readonly records: readonly number[];
}

/** The sign-ins of a network, or of an account. */
export interface Lane {
  /** Empty: everything that has no lane of its own. */
  readonly name: string;
  /** Number of networks or accounts. */
  readonly members: number;
  readonly place: Html | undefined;
  readonly marks: readonly LaneMark[];
  /** Ordinary sign-ins by day, counted from the first day of the chart. */
  readonly days: ReadonlyMap<number, number>;
  readonly bans: readonly BanRecord[];
  readonly programs: readonly string[];
  readonly successes: number;
  readonly failures: number;
  /** Time of the latest one. */
  readonly last: string;
}

export interface Lanes {
  readonly fromMs: number;
  readonly toMs: number;
  readonly lanes: readonly Lane[];
  /** Whether marks that are close together became one. */
  readonly isMerged: boolean;
}

const submission = /^(?:smtps?|submissions?)$/u;

export function shapeOf({ channel, protocol }: Pick<DecisionRecord, "channel" | "protocol">): MarkShape {
  if (channel === "browser") return "square";
  if (channel === "jwt") return "diamond";
  return submission.test(protocol) ? "triangle" : "circle";
}

export function colourOf({ outcome, reason }: Pick<DecisionRecord, "outcome" | "reason">): ChartColour {
  if (outcome === "ok") return "ok";
  if (outcome === "blocked") return "blocked";
  if (outcome === "undecided") return "tempfail";
  if (reason === "wrong_password") return "wrong";
  return reason === "unknown_user" ? "unknown" : "denied";
}

/** The program as mail servers and pages name it, or its protocol. */
export function programOf({ protocol, client, channel }: DecisionRecord): string {
  if (client !== undefined && client !== "") return protocol === "" ? client : `${client} (${protocol})`;
  return protocol === "" ? channel : protocol;
}

interface Numbered {
  readonly record: DecisionRecord;
  readonly index: number;
}

const isCounted = ({ record: { days: counts } }: Numbered): boolean => counts !== undefined;

function markOf({ record, index }: Numbered): LaneMark {
  const { time, first_time: first, count } = record;
  const since = first.slice(0, 16).replace("T", " ");
  const times = count > 1 && html`${comma}${t("sign_ins.times", { count, time: since })}`;
  return {
    timeMs: Date.parse(time),
    colour: colourOf(record),
    shape: shapeOf(record),
    isFirst: false,
    count,
    text: html`${reasonHtml(record)}${comma}${programOf(record)}${times}`,
    records: [index],
  };
}

/** Where the account was not seen before, as far as sign-ins are counted. */
function firstMark(counted: readonly Numbered[], fromMs: number): readonly LaneMark[] {
  const [first] = counted.toSorted((a, b) => a.record.first_time.localeCompare(b.record.first_time));
  if (first === undefined) return [];
  const { record, index } = first;
  const timeMs = Date.parse(record.first_time);
  // What was seen on the first day may have been there before.
  if (!(timeMs >= fromMs + dayMs)) return [];
  const text = t("lanes.first_here", { program: programOf(record) });
  return [{ timeMs, colour: "ok", shape: shapeOf(record), isFirst: true, count: 1, text, records: [index] }];
}

function daysOf(counted: readonly Numbered[], fromMs: number): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { date, count } of counted.flatMap(({ record }) => record.days ?? [])) {
    const day = Math.round((Date.parse(date) - fromMs) / dayMs);
    if (day >= 0 && day < days) counts.set(day, (counts.get(day) ?? 0) + count);
  }
  return counts;
}

const sumOf = (found: readonly Numbered[]): number => found.reduce((sum, { record }) => sum + record.count, 0);
const isSuccess = ({ record }: Numbered): boolean => record.outcome === "ok";

/** Marks of equal kind that are nearer than `binMs` become one. */
function merged(marks: readonly LaneMark[], binMs: number): readonly LaneMark[] {
  const bins = Map.groupBy(marks, ({ timeMs, colour, shape, isFirst }) =>
    [Math.floor(timeMs / binMs), colour, shape, isFirst].join(" "),
  );
  return [...bins.values()].flatMap((of) => {
    const [last] = of.toSorted((a, b) => b.timeMs - a.timeMs);
    if (last === undefined || of.length === 1) return of;
    const count = of.reduce((sum, one) => sum + one.count, 0);
    return [
      {
        ...last,
        count,
        text: t("lanes.like", { count, text: last.text }),
        records: of.flatMap(({ records }) => records),
      },
    ];
  });
}

/** At most 400 marks: those that are close together become one, and then the oldest are left out. */
function bounded(lanes: readonly Lane[]): Pick<Lanes, "lanes" | "isMerged"> {
  const countOf = (of: readonly Lane[]): number => of.reduce((sum, { marks }) => sum + marks.length, 0);
  if (countOf(lanes) <= maxMarks) return { lanes, isMerged: false };
  for (const hours of [8, 24, 72]) {
    const fewer = lanes.map((lane) => ({ ...lane, marks: merged(lane.marks, hours * hourMs) }));
    if (countOf(fewer) <= maxMarks) return { lanes: fewer, isMerged: true };
  }
  const each = Math.floor(maxMarks / lanes.length);
  const latest = (marks: readonly LaneMark[]) => marks.toSorted((a, b) => b.timeMs - a.timeMs).slice(0, each);
  return { lanes: lanes.map((lane) => ({ ...lane, marks: latest(lane.marks) })), isMerged: true };
}

interface Found {
  readonly name: string;
  readonly members: number;
  readonly found: readonly Numbered[];
  /** Whether all sign-ins of the lane come from one place. */
  readonly isPlace: boolean;
}

function laneOf({ name, members, found, isPlace }: Found, fromMs: number): Omit<Lane, "bans"> {
  const counted = found.filter(isCounted);
  const single = found.filter((one) => !isCounted(one));
  const placed = isPlace ? found.find(({ record }) => record.place !== undefined) : undefined;
  return {
    name,
    members,
    place: placeText(placed?.record.place),
    marks: [
      ...single.map(markOf).filter(({ timeMs }) => timeMs >= fromMs),
      // The rest, even if it is one, is not a lane of its own.
      ...(name === "" ? [] : firstMark(counted, fromMs)),
    ],
    days: daysOf(counted, fromMs),
    programs: [...new Set(found.map(({ record }) => programOf(record)))],
    successes: sumOf(found.filter(isSuccess)),
    failures: sumOf(found.filter((one) => !isSuccess(one))),
    last: found[0]?.record.time ?? "",
  };
}

/** What the lanes are. */
export interface LaneKind {
  readonly nameOf: (record: DecisionRecord) => string;
  /** Whether all sign-ins of a lane come from one place. */
  readonly isPlace: boolean;
}

/** Networks (IPv4 /24, IPv6 /48); `unknown` without an address. */
export const byNetwork: LaneKind = { nameOf: ({ network = "unknown" }) => network, isPlace: true };

/** Accounts, or names as typed. */
export const byAccount: LaneKind = {
  nameOf: ({ account, username }) => account ?? username ?? "unknown",
  isPlace: false,
};

/** Whether one network is within the other; false for anything else. */
function overlaps(one: string, other: string): boolean {
  const [a, b] = [parseCidr(one), parseCidr(other)];
  if (a === undefined || b === undefined) return false;
  return createCidrSet([one]).has(b.address) || createCidrSet([other]).has(a.address);
}

/** Sign-ins of the last 30 days in lanes, that with the latest sign-in first. @param records newest first */
export function lanesOf(
  records: readonly DecisionRecord[],
  { nameOf, isPlace }: LaneKind,
  { nowMs, bans = [] }: { readonly nowMs: number; readonly bans?: readonly BanRecord[] },
): Lanes {
  const toMs = (Math.floor(nowMs / dayMs) + 1) * dayMs;
  const fromMs = toMs - days * dayMs;
  const numbered = records.map((record, index) => ({ record, index }));
  const groups = [...Map.groupBy(numbered, ({ record }) => nameOf(record))];
  const own = groups.slice(0, groups.length > maxLanes ? maxLanes - 1 : maxLanes);
  const others = groups.slice(own.length).map(([, found]) => found);
  const rest = { name: "", members: others.length, found: others.flat(), isPlace: false };
  const lanes = [
    ...own.map(([name, found]) => laneOf({ name, members: 1, found, isPlace }, fromMs)),
    ...(others.length === 0 ? [] : [laneOf(rest, fromMs)]),
  ];
  const withBans = lanes.map((lane) => ({ ...lane, bans: bans.filter(({ network }) => overlaps(network, lane.name)) }));
  return { fromMs, toMs, ...bounded(withBans) };
}
