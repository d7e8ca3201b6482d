import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Row } from "../measure/row.ts";
import type { FeatureCost } from "../scenarios/features.ts";
import type { Results } from "./results.ts";
import type { Target } from "./target.ts";

const file = fileURLToPath(new URL("../recorded/targets.json", import.meta.url));

/** A target and its last recorded result. */
export interface RecordedTarget extends Target {
  /** Day of the run. */
  readonly date: string;
  /** Cores that other programs used, the median of the run's rows; above 0.1 the figures are unreliable. */
  readonly otherCores: number;
}

/** A line of the table, without the windows that it is the median of. */
export type RecordedRow = Omit<Row, "added" | "turns" | "windows">;

export interface Recorded {
  readonly machine: Results["machine"];
  readonly rows: readonly RecordedRow[];
  readonly features: readonly FeatureCost[];
  readonly targets: readonly RecordedTarget[];
}

/** The results that the documentation shows. */
export function readRecorded(): Recorded {
  return JSON.parse(readFileSync(file, "utf8"));
}

/** Rows of other products, and what is compared with them. */
export function isBeside(id: string): boolean {
  return /^(beside|dovecot|saslauthd)-/u.test(id);
}

function isOfLongRun(id: string): boolean {
  return isBeside(id) || id === "lookup-ten" || id === "lookup-million";
}

/** Which scenarios ran. */
export interface Extent {
  readonly isLong: boolean;
  /** Whether only some of them ran. */
  readonly isPart: boolean;
}

/**
 * Replaces the results that were measured. Other results are kept after a run of some scenarios; after a run of all, only those that the run
 * could not measure.
 */
export function merge(
  before: readonly RecordedTarget[],
  after: readonly RecordedTarget[],
  { isLong, isPart }: Extent,
): readonly RecordedTarget[] {
  const measured = after.filter(({ met }) => met !== undefined);
  const byTitle = new Map(measured.map((target) => [target.title, target]));
  const wasBefore = new Set(before.map(({ title }) => title));
  const kept = before.filter((target) => isPart || byTitle.has(target.title) || (target.isLong === true && !isLong));
  return [
    ...kept.map((target) => byTitle.get(target.title) ?? target),
    ...measured.filter(({ title }) => !wasBefore.has(title)),
  ];
}

function withoutWindows({
  id,
  title,
  connections,
  requestsPerSecond,
  p50Ms,
  p99Ms,
  cpuMicros,
  otherCores,
}: Row): RecordedRow {
  return { id, title, connections, requestsPerSecond, p50Ms, p99Ms, cpuMicros, otherCores };
}

/** The rows of a whole run replace all others but those of the long run. */
function mergeRows(
  before: readonly RecordedRow[],
  after: readonly RecordedRow[],
  { isLong, isPart }: Extent,
): readonly RecordedRow[] {
  const byId = new Map(after.map((row) => [row.id, row]));
  const wasBefore = new Set(before.map(({ id }) => id));
  const kept = before.filter(({ id }) => isPart || byId.has(id) || (!isLong && isOfLongRun(id)));
  return [...kept.map((row) => byId.get(row.id) ?? row), ...after.filter(({ id }) => !wasBefore.has(id))];
}

/** Writes the results into the file that the documentation is made from. */
export function record({ machine, rows, beside, features }: Results, targets: readonly Target[], extent: Extent): void {
  const date = new Date().toISOString().slice(0, 10);
  const others = [...rows, ...beside].map((row) => row.otherCores).toSorted((a, b) => a - b);
  const otherCores = Number((others[Math.floor(others.length / 2)] ?? 0).toFixed(2));
  const after = targets.map((target) => ({ ...target, date, otherCores }));
  const plain = [...rows, ...beside].map(withoutWindows);
  const before = readRecorded();
  const recorded: Recorded = {
    machine,
    targets: merge(before.targets, after, extent),
    rows: mergeRows(before.rows, plain, extent),
    features: features ?? before.features,
  };
  writeFileSync(file, `${JSON.stringify(recorded, undefined, 2)}\n`);
}
