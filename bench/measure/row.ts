import type { GeneratorReport } from "../generator/wrk-output.ts";
import { type Added, addedTo, type Figure, figureOf, type Window } from "./added.ts";
import { type CpuUse, cpuDuring, type Measured, type Role, roles } from "./processes.ts";

/** One line of the table. Times per request are µs of CPU; the generator is not counted. */
export interface Row {
  readonly id: RowId;
  readonly title: string;
  readonly connections: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMicros: Readonly<Record<Role | "total", number>>;
  readonly otherCores: number;
  /** What this row costs more than the row with which it was measured alternately. */
  readonly added?: Added<RowId>;
  /** The windows of rows that were measured alternately, and the first of these rows. */
  readonly turns?: { readonly of: RowId; readonly windows: readonly Window<RowId>[] };
  /** All windows: CPU µs of every process, of every one but slapd, and of the engine; and requests/s. */
  readonly windows?: Readonly<Record<"total" | "ours" | "engine" | "rate", Figure>>;
}

export type RowId =
  | "bare"
  | "skeleton"
  | "skeleton-1"
  | "skeleton-1-ldap"
  | "skeleton-1000"
  | "hash-rate"
  | "ldap-raw"
  | "cached"
  | "cached-1"
  | "cached-1000"
  | "counted"
  | "counted-sql"
  | "ldap-counted"
  | "lookup"
  | "lookup-1"
  | "lookup-cbor"
  | "lookup-header"
  | "lookup-bearer"
  | "lookup-bearer-key"
  | "lookup-bearer-new"
  | "lookup-open"
  | "lookup-basic"
  | "sql"
  | "ldap"
  | "ldap-1"
  | "ldap-400"
  | "ldap-wrong"
  | "untraced"
  | "traced-one"
  | "traced-all"
  | "feature"
  | "unscripted"
  | "scripted"
  | "introspect-opaque"
  | "introspect-jwt"
  | "userinfo"
  | "login-page"
  | "lookup-2-engines"
  | "ldap-2-engines"
  | "lookup-ten"
  | "lookup-million"
  | "saml"
  | `${"apart" | "one"}-${"calm" | "busy"}`
  | `${"before" | "apart" | "one"}-${"cached" | "cached-1" | "cached-1000" | "ldap-400"}`
  | `${"base" | "own"}-${"cached" | "cbor" | "wrong" | "unknown" | "ldap" | "lookup" | "banned" | "rhythm"}`
  | `${"beside" | "dovecot" | "saslauthd"}-${"ldap" | "cached"}`;

export interface RowPlan {
  readonly id: RowId;
  readonly title: string;
  readonly connections: number;
  readonly processes: readonly Measured[];
  readonly windowSeconds: number;
  /** Duration of the load before the measurement; default 2 s. */
  readonly warmSeconds?: number;
  /** Runs before each window; not measured. */
  readonly prepare?: () => Promise<void>;
  readonly generate: (seconds: number) => Promise<GeneratorReport>;
  /**
   * Waits until the generator's remaining requests have been answered; throws if an answer was not the expected one.
   */
  readonly verify: (report: GeneratorReport) => Promise<void> | void;
}

/** Rows that no target depends on need fewer windows. */
const defaultWindows = 3;
/** Number of rounds for rows that the targets depend on. */
export const rounds = 5;
/** V8 compiles a service's hot path for several seconds; the first row of a service waits for that. */
export const firstWarmSeconds = 5;
const warmSeconds = 1;

function toRow({ id, title, connections }: RowPlan, report: GeneratorReport, { micros, otherCores }: CpuUse): Row {
  const { requests, seconds, p50Ms, p99Ms } = report;
  const cpuMicros: Record<Role | "total", number> = { gateway: 0, engine: 0, nats: 0, slapd: 0, redis: 0, total: 0 };
  for (const role of roles) {
    cpuMicros[role] = micros[role] / requests;
    cpuMicros.total += cpuMicros[role];
  }
  return { id, title, connections, requestsPerSecond: requests / seconds, p50Ms, p99Ms, cpuMicros, otherCores };
}

/** Measures one window. */
export async function measureOnce(plan: RowPlan, seconds: number): Promise<Row> {
  await plan.prepare?.();
  const [report, use] = await cpuDuring(plan.processes, () => plan.generate(seconds));
  if (report.requests === 0) throw new Error(`${plan.title}: no request was answered`);
  if (report.socketErrors > 0) throw new Error(`${plan.title}: ${report.socketErrors} socket errors`);
  await plan.verify(report);
  return toRow(plan, report, use);
}

function middleOf(rows: readonly Row[]): Row {
  const sorted = rows.toSorted((a, b) => a.cpuMicros.total - b.cpuMicros.total);
  const middle = sorted[Math.floor(rows.length / 2)];
  if (middle === undefined) throw new Error("no window was measured");
  const of = (pick: (row: Row) => number): Figure => figureOf(rows.map(pick));
  return {
    ...middle,
    windows: {
      total: of(({ cpuMicros }) => cpuMicros.total),
      ours: of(({ cpuMicros }) => cpuMicros.total - cpuMicros.slapd),
      engine: of(({ cpuMicros }) => cpuMicros.engine),
      rate: of(({ requestsPerSecond }) => requestsPerSecond),
    },
  };
}

async function warmUp(plan: RowPlan): Promise<void> {
  await measureOnce(plan, plan.warmSeconds ?? warmSeconds);
}

/** Warms up, measures some windows, and returns the one with the median CPU time per request. */
export async function measureRow(plan: RowPlan, windows = defaultWindows): Promise<Row> {
  await warmUp(plan);
  const measured: Row[] = [];
  while (measured.length < windows) measured.push(await measureOnce(plan, plan.windowSeconds));
  return middleOf(measured);
}

/**
 * Like `measureRow`, for rows that are compared. Their windows are measured alternately, forward and backward, so that a slowdown of the
 * machine affects each of them. Each row except the first is compared with the first.
 */
export async function measureInTurn(plans: readonly RowPlan[], afterRound?: () => void): Promise<readonly Row[]> {
  for (const plan of plans) await warmUp(plan);
  const measured = plans.map((plan) => ({ plan, rows: new Array<Row>() }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { plan, rows } of round % 2 === 0 ? measured : measured.toReversed()) {
      rows.push(await measureOnce(plan, plan.windowSeconds));
    }
    afterRound?.();
  }
  const [first, ...others] = measured.map(({ rows }) => rows);
  const of = first?.[0]?.id;
  if (first === undefined || of === undefined) throw new Error("nothing to measure");
  return [
    { ...middleOf(first), turns: { of, windows: first } },
    ...others.map((rows) => ({ ...middleOf(rows), added: addedTo(first, rows), turns: { of, windows: rows } })),
  ];
}
