import { type RequestFormat, runWrk } from "../generator/wrk.ts";
import { firstWarmSeconds, measureRow, type Row, type RowId, type RowPlan } from "../measure/row.ts";
import type { DecisionCounts } from "../stack/decision-counts.ts";
import type { Postern } from "../stack/postern.ts";

export interface DecisionRow {
  readonly id: RowId;
  readonly title: string;
  readonly connections: number;
  readonly windowSeconds?: number;
  /** The first row of services that have just started. */
  readonly first?: boolean;
  readonly bodiesFile: string;
  /** Added to the URL. */
  readonly query?: string;
  /** The endpoint's dialect; JSON when absent. */
  readonly format?: RequestFormat;
  /** As `Load` has it. */
  readonly authorization?: string | undefined;
  /** A counter of the engines that each request must raise. */
  readonly engineCounter?: string;
  /** What every request of the row must come to. */
  readonly outcome: "ok" | "fail";
}

/** Throws unless each decision since the last look had this outcome. */
export function outcomeCheck(postern: Postern, outcome: "ok" | "fail", first: DecisionCounts) {
  let before = first;
  return async ({ requests }: { readonly requests: number }): Promise<void> => {
    for (const service of [postern.gateway, ...postern.engines]) service.assertAlive();
    const after = await postern.decisions();
    const strange = (["ok", "fail", "blocked", "tempfail", "malformed"] as const).filter(
      (name) => name !== outcome && after[name] > before[name],
    );
    if (strange.length > 0 || after[outcome] - before[outcome] < requests) {
      throw new Error(
        `expected ${requests} × ${outcome}, had ${JSON.stringify(before)}, then ${JSON.stringify(after)}`,
      );
    }
    before = after;
  };
}

async function sumOfEngines(postern: Postern, series: string): Promise<number> {
  const pages = await Promise.all(
    postern.engines.map(async ({ privatePort }) => (await fetch(`http://127.0.0.1:${privatePort}/metrics`)).text()),
  );
  const lines = pages.flatMap((page) => page.split("\n")).filter((line) => line.startsWith(`${series} `));
  return lines.reduce((sum, line) => sum + Number(line.slice(series.length)), 0);
}

/** Throws unless each request raised the counter. */
async function counterCheck(postern: Postern, series: string) {
  let before = await sumOfEngines(postern, series);
  return async ({ requests }: { readonly requests: number }): Promise<void> => {
    const after = await sumOfEngines(postern, series);
    if (after - before < requests) throw new Error(`${series} rose by ${after - before} for ${requests} requests`);
    before = after;
  };
}

/** One kind of decision by Postern's services, verified by the gateway's own count of outcomes. */
export async function decisionPlan(postern: Postern, row: DecisionRow): Promise<RowPlan> {
  const { id, title, connections, windowSeconds = 1, first = false, bodiesFile, query = "", outcome } = row;
  const { format, authorization, engineCounter } = row;
  const outcomeIs = outcomeCheck(postern, outcome, await postern.decisions());
  const counts = engineCounter === undefined ? undefined : await counterCheck(postern, engineCounter);
  const url = `${new URL(format ?? "json", postern.url).href}${query}`;
  return {
    id,
    title,
    connections,
    processes: postern.processes,
    windowSeconds,
    ...(first ? { warmSeconds: firstWarmSeconds } : {}),
    generate: (seconds) => runWrk({ url, bodiesFile, connections, format, authorization }, seconds),
    verify: async (report) => {
      await outcomeIs(report);
      await counts?.(report);
    },
  };
}

export async function measureDecision(postern: Postern, row: DecisionRow): Promise<Row> {
  return measureRow(await decisionPlan(postern, row));
}
