import { setTimeout as delay } from "node:timers/promises";

export type Outcome = "ok" | "fail" | "blocked" | "tempfail";
export type DecisionCounts = Readonly<Record<Outcome | "malformed", number>>;

/** Parses a gateway's decision counts from its metrics page. */
export function parseDecisionCounts(page: string): DecisionCounts {
  const counts = { ok: 0, fail: 0, blocked: 0, tempfail: 0, malformed: 0 };
  for (const [, outcome, value] of page.matchAll(
    /^service_auth_decisions_total\{[^}]*outcome="(ok|fail|blocked|tempfail)"[^}]*\} (\d+)$/gm,
  )) {
    if (outcome === "ok" || outcome === "fail" || outcome === "blocked" || outcome === "tempfail") {
      counts[outcome] += Number(value);
    }
  }
  for (const [, value] of page.matchAll(/^\w*malformed\w*_total(?:\{[^}]*\})? (\d+)$/gm))
    counts.malformed += Number(value);
  return counts;
}

const quietMs = 150;
const settleWithinMs = 15_000;

/** The counts when they no longer change, after the generator's remaining requests have been answered. */
export async function settledCounts(read: () => Promise<DecisionCounts>): Promise<DecisionCounts> {
  const until = performance.now() + settleWithinMs;
  let last = await read();
  while (performance.now() < until) {
    await delay(quietMs);
    const now = await read();
    if (JSON.stringify(now) === JSON.stringify(last)) return now;
    last = now;
  }
  throw new Error("requests are still being answered long after the load ended");
}
