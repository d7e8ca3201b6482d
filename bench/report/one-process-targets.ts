import { figureOf } from "../measure/added.ts";
import type { RowId } from "../measure/row.ts";
import { baseRevision } from "../stack/base-revision.ts";
import { type Results, rowOf } from "./results.ts";
import { judged, type Target } from "./target.ts";

/** Shares of the cost of the five processes of an earlier revision (ADR 0261). */
const costs: readonly (readonly [id: RowId, title: string, atMost: number])[] = [
  ["apart-cached-1000", "five processes, cached, 1,000/s", 1],
  ["one-cached-1000", "one process, cached, 1,000/s", 0.6],
  ["apart-ldap-400", "five processes, LDAP, 400/s", 1.1],
  ["one-ldap-400", "one process, LDAP, 400/s", 0.85],
  ["one-cached", "one process, cached", 1.25],
];

/** Milliseconds of a row that was measured in turn with others, over its windows. */
function delays(results: Results, id: RowId, which: "p50Ms" | "p99Ms") {
  const windows = rowOf(results, id)?.turns?.windows;
  return windows && figureOf(windows.map((window) => window[which]));
}

/** What decisions cost in one process and in several, and how long they take. Those that no run has measured yet are absent. */
export function oneProcessTargets(results: Results): readonly Target[] {
  const delay = (title: string, id: RowId, which: "p50Ms" | "p99Ms", atMost: number): Target =>
    judged({ title: `one process, ${title}`, value: delays(results, id, which), atMost, unit: " ms" });
  const value = results.firstOfOne?.decisionMs;
  const targets = [
    ...costs.map(([id, title, atMost]) => {
      const added = rowOf(results, id)?.added;
      const value = added?.to.startsWith("before-") ? added.times : undefined;
      return judged({ title: `${title}: CPU / revision ${baseRevision}`, value, atMost, unit: " ×", isPaired: true });
    }),
    delay("cached: p50, 1 conn", "one-cached-1", "p50Ms", 0.35),
    delay("cached, with other work: p50", "one-busy", "p50Ms", 2),
    delay("cached, with other work: p99", "one-busy", "p99Ms", 30),
    judged({ title: "one process: first decision after a start", value, atMost: 800, unit: " ms", digits: 0 }),
  ];
  return targets.filter(({ met }) => met !== undefined);
}
