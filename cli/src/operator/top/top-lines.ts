import type { Attacks, SignInSeries, SystemReport } from "@postern/shared/contracts";
import { printable } from "../../table.ts";
import { type Colour, cut, fitted, type Paint, wrapped } from "../paint.ts";
import type { TopData } from "./read-top.ts";
import { sparkline } from "./sparkline.ts";
import { accountsBy, networksBy, type TopSort } from "./top-state.ts";

/** How the overview is drawn. */
export interface TopFrame {
  readonly columns: number;
  /** Lines that there is room for; undefined: for all. */
  readonly rows?: number | undefined;
  /** Rows for each list of what is attacked. */
  readonly listed: number;
  readonly sort: TopSort;
  /** Number of the selected row in both lists together. */
  readonly selected: number | undefined;
  readonly paint: Paint;
}

type Step = SignInSeries["steps"][number];

/** What a low terminal leaves out, one after the other, so that the end of the overview is not cut. */
const thrifts = { noBlanks: 1, noZeros: 2, noObjectives: 3, few: 4, ailing: 5 } as const;

const outcomes: readonly (readonly [label: string, colour: Colour, of: (step: Step) => number])[] = [
  ["ok", "green", ({ ok }) => ok],
  ["ok, cached", "green", ({ cached }) => cached],
  ["wrong password", "yellow", (step) => step.wrong_password],
  ["unknown user", "yellow", (step) => step.unknown_user],
  ["denied", "yellow", ({ denied }) => denied],
  ["blocked", "red", ({ blocked }) => blocked],
  ["temp. failure", "magenta", ({ tempfail }) => tempfail],
  ["suspicious", "magenta", ({ suspicious }) => suspicious],
];

const labelWidth = 14;
const numberWidth = 7;

/** Shortened so that it fits: 12,345 or 1.2M. */
export function numberText(value: number): string {
  const isShort = Math.abs(value) < 100_000;
  return value.toLocaleString("en", isShort ? {} : { notation: "compact", maximumFractionDigits: 1 });
}

const right = (text: string, width: number): string => text.padStart(width);

/** Label, bars, and two numbers. */
function row(
  { columns, paint }: TopFrame,
  [label, colour]: readonly [string, Colour],
  values: readonly (number | undefined)[],
  [now, all]: readonly [string, string],
): string {
  const bars = sparkline(values, Math.max(4, Math.min(60, columns - labelWidth - 2 * numberWidth - 3)));
  return `${fitted(label, labelWidth)} ${paint(colour, bars)} ${right(now, numberWidth)} ${right(all, numberWidth)}`;
}

function titleRow(frame: TopFrame, title: string, ends: readonly [string, string]): string {
  const bars = Math.max(4, Math.min(60, frame.columns - labelWidth - 2 * numberWidth - 3));
  const text = `${fitted(title, labelWidth + 1 + bars)} ${right(ends[0], numberWidth)} ${right(ends[1], numberWidth)}`;
  return frame.paint("bold", text);
}

const millisecondsText = (ms: number | undefined): string =>
  ms === undefined ? "-" : `${numberText(Math.round(ms * 10) / 10)} ms`;

const percent = (value: number): string => `${(100 * value).toFixed(2)} %`;

/** Part of the decisions of the range, beside the objective. */
function objectiveLines(frame: TopFrame, series: SignInSeries): readonly string[] {
  const { steps, objective, p99_ms: p99 } = series;
  const all = steps.reduce(
    (sum, step) => sum + outcomes.slice(0, 7).reduce((of, [, , count]) => of + count(step), 0),
    0,
  );
  if (all === 0) return [];
  const share = steps.reduce((sum, { tempfail }) => sum + tempfail, 0) / all;
  const said = (what: string, isMet: boolean): string =>
    frame.paint(isMet ? "green" : "red", cut(`${what}: ${isMet ? "met" : "missed"}`, frame.columns));
  return [
    said(
      `temporary failures ${percent(share)} of at most ${percent(objective.tempfail_share)}`,
      share <= objective.tempfail_share,
    ),
    ...(p99 === undefined
      ? []
      : [said(`p99 ${millisecondsText(p99)} of at most ${objective.p99_ms} ms`, p99 <= objective.p99_ms)]),
  ];
}

/** The least that says whether the site works and is attacked. */
const fewOutcomes: typeof outcomes = [
  ["ok", "green", ({ ok, cached }) => ok + cached],
  ["refused", "yellow", (step) => step.wrong_password + step.unknown_user + step.denied + step.blocked],
  ["temp. failure", "magenta", ({ tempfail }) => tempfail],
];

function signInLines(frame: TopFrame, series: SignInSeries, thrift: number): readonly string[] {
  const { steps } = series;
  // The last step is not over yet.
  const now = steps.at(-2);
  const sum = (of: (step: Step) => number): number => steps.reduce((all, step) => all + of(step), 0);
  const bans = steps.map((step) => step.bans);
  return [
    titleRow(frame, "SIGN-INS", ["a min.", "hour"]),
    ...(thrift < thrifts.few ? outcomes : fewOutcomes)
      .filter(([, , of]) => thrift < thrifts.noZeros || sum(of) > 0)
      .map(([label, colour, of]) =>
        row(frame, [label, colour], steps.map(of), [numberText(now === undefined ? 0 : of(now)), numberText(sum(of))]),
      ),
    row(frame, ["bans", "red"], bans, [
      numberText(bans.findLast((count) => count !== undefined) ?? 0),
      `+${numberText(sum((step) => step.new_bans))}`,
    ]),
    row(
      frame,
      ["p99, ms", "cyan"],
      steps.map((step) => step.p99_ms),
      [
        now?.p99_ms === undefined ? "-" : numberText(Math.round(now.p99_ms)),
        series.p99_ms === undefined ? "-" : numberText(Math.round(series.p99_ms)),
      ],
    ),
    ...(thrift < thrifts.noObjectives ? objectiveLines(frame, series) : []),
  ];
}

function listLines(
  frame: TopFrame,
  first: number,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const { columns, listed, selected, paint } = frame;
  const nameWidth = Math.max(8, Math.min(44, columns - 2 - (head.length - 1) * 10));
  const lineOf = ([name = "", ...counts]: readonly string[]): string =>
    cut(`${fitted(printable(name), nameWidth)}${counts.map((text) => right(text, 10)).join("")}`, columns - 2);
  const lines = rows.slice(0, listed).map((cells, index) => {
    const isSelected = first + index === selected;
    return isSelected ? paint("inverse", `> ${lineOf(cells)}`) : `  ${lineOf(cells)}`;
  });
  return [paint("bold", `  ${lineOf(head)}`), ...lines];
}

function attackLines(frame: TopFrame, attacks: Attacks): readonly string[] {
  const accounts = accountsBy(attacks, frame.sort);
  const networks = networksBy(attacks, frame.sort);
  const none = frame.paint("dim", "  none");
  const accountRows = accounts.map(({ account, addresses, wrong_passwords: wrong, delayed_until: until }) => [
    account,
    numberText(addresses),
    wrong === undefined ? "-" : numberText(wrong),
    ...(frame.columns >= 60 ? [until?.slice(11, 16) ?? "-"] : []),
  ]);
  const networkRows = networks.map(({ network, failures, repeated = 0, refused = 0 }) => [
    network,
    numberText(failures),
    numberText(refused),
    ...(frame.columns >= 60 ? [numberText(repeated)] : []),
  ]);
  const isWide = frame.columns >= 60;
  return [
    ...listLines(frame, 0, ["ACCOUNT", "ADDRESSES", "PASSWORDS", ...(isWide ? ["DELAYED"] : [])], accountRows),
    ...(accountRows.length === 0 ? [none] : []),
    ...listLines(
      frame,
      Math.min(accountRows.length, frame.listed),
      ["NETWORK", "FAILURES", "REFUSED", ...(isWide ? ["REPEATED"] : [])],
      networkRows,
    ),
    ...(networkRows.length === 0 ? [none] : []),
  ];
}

const stateColour = (state: string): Colour => (state === "up" ? "green" : state === "down" ? "red" : "yellow");

/** Items beside each other, as many as fit into a line. */
function flowing(
  { columns, paint }: TopFrame,
  items: readonly (readonly [text: string, state: string])[],
): readonly string[] {
  const lines: { width: number; text: string }[] = [];
  for (const [text, state] of items) {
    const shown = cut(`${printable(text)} ${state}`, columns);
    const word = shown.endsWith(state)
      ? `${shown.slice(0, shown.length - state.length)}${paint(stateColour(state), state)}`
      : shown;
    const last = lines.at(-1);
    if (last !== undefined && last.width + 3 + shown.length <= columns) {
      last.text += `   ${word}`;
      last.width += 3 + shown.length;
    } else lines.push({ width: shown.length, text: word });
  }
  return lines.map(({ text }) => text);
}

/** Versions with the number of processes: `1.2.0 ×2`. */
function versionsOf(instances: SystemReport["services"][number]["instances"]): string {
  const counts = Map.groupBy(instances, ({ version }) => version);
  return [...counts].map(([version, of]) => `${version} ×${of.length}`).join(" ");
}

function healthLines(frame: TopFrame, system: SystemReport, thrift: number): readonly string[] {
  const { services, engines, backends, redis, nats, queues } = system;
  const jobs = queues.map(({ name, state, waiting = 0, failed = 0 }): [string, string] => [
    `queue ${name} ${waiting} waiting${failed > 0 ? ` ${failed} failed` : ""}`,
    state,
  ]);
  const all: readonly (readonly [text: string, state: string])[] = [
    ...services.map(({ service, state, instances }): [string, string] => [
      `${service} ${versionsOf(instances)}`.trimEnd(),
      state,
    ]),
    ...(engines.heard === undefined ? [] : [[`${engines.heard} heard of engines`, engines.state] as const]),
    ...backends.map(({ name, state }): [string, string] => [`backend ${name}`, state]),
    ...redis.map(({ role, state }): [string, string] => [`redis ${role}`, state]),
    ["nats", nats.state],
    ...jobs,
  ];
  const ailing = all.filter(([, state]) => state !== "up");
  const others = [`${all.length - ailing.length} ${ailing.length === 0 ? "parts" : "others"}`, "up"] as const;
  return [frame.paint("bold", "HEALTH"), ...flowing(frame, thrift < thrifts.ailing ? all : [...ailing, others])];
}

function verdictLines({ columns, paint }: TopFrame, { state, verdict, findings }: SystemReport): readonly string[] {
  return [
    paint(stateColour(state), cut(printable(verdict), columns)),
    ...findings.slice(0, 3).map(({ subject, text }) => cut(printable(`  ${subject}: ${text}`), columns)),
    ...(findings.length > 3 ? [cut(`  and ${findings.length - 3} more: postern status`, columns)] : []),
  ];
}

/** At most three lines: a telephone's terminal shows the begin, which says the most. */
function situationLines({ columns, paint }: TopFrame, situation: Attacks["situation"]): readonly string[] {
  if (situation === undefined) return [];
  const colour = situation.state === "attack" ? "red" : "yellow";
  return wrapped(printable(situation.verdict), columns, 3).map((line) => paint(colour, line));
}

/** With an attack, that everything works says too much; the health below has it. */
function headLines(frame: TopFrame, { system, attacks }: TopData): readonly string[] {
  const situation = attacks?.situation?.state === "quiet" ? undefined : attacks?.situation;
  const isSaid = situation !== undefined && system?.state === "up";
  return [...situationLines(frame, situation), ...(system === undefined || isSaid ? [] : verdictLines(frame, system))];
}

function linesWith(data: TopData, frame: TopFrame, thrift: number): readonly string[] {
  const { series, system, attacks, unavailable } = data;
  const parts = [
    headLines(frame, data),
    unavailable.map((text) => frame.paint("yellow", cut(printable(text), frame.columns))),
    series === undefined ? [] : signInLines(frame, series, thrift),
    attacks === undefined ? [] : attackLines(frame, attacks),
    system === undefined ? [] : healthLines(frame, system, thrift),
  ];
  const between = thrift < thrifts.noBlanks ? [""] : [];
  return parts
    .filter((lines) => lines.length > 0)
    .flatMap((lines, index) => (index === 0 ? lines : [...between, ...lines]));
}

/** The overview, a line each, with as much of it as there is room for. */
export function topLines(data: TopData, frame: TopFrame): readonly string[] {
  const { rows = Number.POSITIVE_INFINITY } = frame;
  let lines = linesWith(data, frame, 0);
  for (let thrift = 1; lines.length > rows && thrift <= thrifts.ailing; thrift += 1)
    lines = linesWith(data, frame, thrift);
  return lines;
}
