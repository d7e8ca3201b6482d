import { type RequestFormat, runWrk } from "../generator/wrk.ts";
import { firstWarmSeconds, measureRow, type Row, type RowId, type RowPlan } from "../measure/row.ts";
import type { DecisionCounts } from "../stack/decision-counts.ts";
import type { Postern } from "../stack/postern.ts";

export interface DecisionRow {
  readonly id: RowId;
  readonly title: string;
  readonly connections: number;
  readonly windowSeconds?: number;
  /** Set for the first row of services that have just started. */
  readonly first?: boolean;
  readonly bodiesFile: string;
  /** Appended to the URL. */
  readonly query?: string;
  /** The endpoint's dialect; default JSON. */
  readonly format?: RequestFormat;
  /** As in `Load`. */
  readonly authorization?: string | undefined;
  /** A counter of the engines that each request must increase. */
  readonly engineCounter?: string;
  /** The expected outcome of every request of the row. */
  readonly outcome: "ok" | "fail" | "blocked";
}

/** Verifies a window by counters before and after it. */
interface Check {
  readonly begin: () => Promise<void>;
  /** Throws if the window did not do what the row measures. */
  readonly end: (requests: number) => Promise<void>;
}

const outcomes = ["ok", "fail", "blocked", "tempfail", "malformed"] as const;

/** Verifies that each decision has this outcome. */
function outcomeCheck(postern: Postern, outcome: DecisionRow["outcome"]): Check {
  let before: DecisionCounts | undefined;
  return {
    begin: async () => {
      before = await postern.decisionsSoFar();
    },
    end: async (requests) => {
      for (const service of [postern.gateway, ...postern.engines]) service.assertAlive();
      const after = await postern.decisions();
      const had = (name: (typeof outcomes)[number]): number => after[name] - (before?.[name] ?? 0);
      const isOther = outcomes.some((name) => name !== outcome && had(name) > 0);
      if (isOther || had(outcome) < requests) {
        throw new Error(
          `expected ${requests} × ${outcome}, had ${JSON.stringify(before)}, then ${JSON.stringify(after)}`,
        );
      }
    },
  };
}

async function sumOfEngines(postern: Postern, series: string): Promise<number> {
  const pages = await Promise.all(
    postern.engines.map(async ({ privatePort }) => (await fetch(`http://127.0.0.1:${privatePort}/metrics`)).text()),
  );
  const lines = pages.flatMap((page) => page.split("\n")).filter((line) => line.startsWith(`${series} `));
  return lines.reduce((sum, line) => sum + Number(line.slice(series.length)), 0);
}

/** Verifies that each request increases the counter. */
function counterCheck(postern: Postern, series: string): Check {
  let before = 0;
  return {
    begin: async () => {
      before = await sumOfEngines(postern, series);
    },
    end: async (requests) => {
      const after = await sumOfEngines(postern, series);
      if (after - before < requests) throw new Error(`${series} rose by ${after - before} for ${requests} requests`);
    },
  };
}

/** One kind of decision by Postern's services, verified by the gateway's own count of outcomes. */
export function decisionPlan(postern: Postern, row: DecisionRow): RowPlan {
  const { id, title, connections, windowSeconds = 1, first = false, bodiesFile, query = "", outcome } = row;
  const { format, authorization, engineCounter } = row;
  const checks = [outcomeCheck(postern, outcome)];
  if (engineCounter !== undefined) checks.push(counterCheck(postern, engineCounter));
  const url = `${new URL(format ?? "json", postern.url).href}${query}`;
  return {
    id,
    title,
    connections,
    processes: postern.processes,
    windowSeconds,
    ...(first ? { warmSeconds: firstWarmSeconds } : {}),
    generate: (seconds) => runWrk({ url, bodiesFile, connections, format, authorization }, seconds),
    prepare: async () => {
      for (const check of checks) await check.begin();
    },
    verify: async ({ requests }) => {
      for (const check of checks) await check.end(requests);
    },
  };
}

export async function measureDecision(postern: Postern, row: DecisionRow): Promise<Row> {
  return measureRow(decisionPlan(postern, row));
}
