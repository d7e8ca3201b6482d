import type { DecisionRecord, WatchSources } from "@postern/shared/contracts";
import { printable } from "../../table.ts";
import { type Colour, cut, fitted, type Paint } from "../paint.ts";

/** The output of a watch. */
export interface WatchOutput {
  /** Of the terminal; undefined if it is none, and then nothing is cut. */
  readonly columns: number | undefined;
  readonly paint: Paint;
}

/** Below this width, a decision takes two lines. */
const wideFrom = 100;
const outcomeWidth = 9;

const colourOf: Readonly<Record<string, Colour>> = {
  ok: "green",
  denied: "yellow",
  blocked: "red",
  undecided: "magenta",
};

function whoOf({ account, username }: DecisionRecord): string {
  if (account === undefined) return username ?? "-";
  return username === undefined ? account : `${account} (${username})`;
}

/** One decision, as a line, or as two on a narrow terminal. Times are in UTC. */
export function decisionLines(record: DecisionRecord, { columns, paint }: WatchOutput): readonly string[] {
  const { outcome } = record;
  const word = paint(colourOf[outcome] ?? "bold", fitted(outcome, outcomeWidth));
  const by = printable([record.protocol, record.step, record.client].filter(Boolean).join(" "));
  const from = printable(record.client_ip || "-");
  const who = printable(whoOf(record));
  const said = outcome === "ok" ? "" : printable(record.text);
  if (columns === undefined) {
    const rest = [from.padEnd(15), by.padEnd(12), who, said, record.session.slice(0, 13)].filter(Boolean).join("  ");
    return [`${record.time}  ${word}  ${rest}`];
  }
  const time = record.time.slice(11, 19);
  const left = columns - time.length - outcomeWidth - 2;
  if (columns >= wideFrom) {
    const rest = [fitted(from, 15), fitted(by, 14), who, said].filter(Boolean).join("  ");
    return [`${paint("dim", time)} ${word} ${cut(rest, left)}`.trimEnd()];
  }
  const second = said === "" ? who : `${who}: ${said}`;
  return [`${paint("dim", time)} ${word} ${cut(`${from} ${by}`, left)}`.trimEnd(), cut(`  ${second}`, columns)];
}

export function droppedLine(count: number, { paint }: WatchOutput): string {
  return paint("bold", `… ${count} more ${count === 1 ? "decision is" : "decisions are"} not shown`);
}

/** Who reports, in a sentence. */
export function sourcesLine({ engines, live_engines: live, identity_providers: providers }: WatchSources): string {
  const idps = `${providers} identity ${providers === 1 ? "provider" : "providers"}`;
  if (live === 0) return "no engine reports; waiting";
  const silent = live > engines ? "; the others do not know this command yet, or do not answer" : "";
  return `${engines} of ${live} ${live === 1 ? "engine" : "engines"} and ${idps} report${silent}`;
}
