import { type ComparedLoad, comparedLoads } from "../scenarios/loads.ts";
import { baseRevision } from "../stack/base-revision.ts";
import { type Results, rowOf } from "./results.ts";
import { judged, type Target } from "./target.ts";

/** Shares of the cost of an earlier revision, from the comparison with another product at that time. */
const shares: Readonly<Record<ComparedLoad, number>> = {
  cached: 0.55,
  cbor: 0.62,
  wrong: 0.43,
  unknown: 0.54,
  ldap: 0.67,
  lookup: 0.71,
  banned: 0.83,
};

/** The rhythm of mail programs, and shares of an earlier revision. */
export function revisionTargets(results: Results): readonly Target[] {
  const ofRevision = comparedLoads.map((name) =>
    judged({
      title: `${name}: CPU / revision ${baseRevision}`,
      value: rowOf(results, `own-${name}`)?.added?.times,
      atMost: shares[name],
      unit: " ×",
    }),
  );
  const rhythm = judged({
    title: "6,000 accounts, each once a minute: CPU",
    value: rowOf(results, "rhythm")?.cpuMicros.total,
    atMost: 300,
    unit: " µs",
    digits: 0,
  });
  return [...ofRevision, rhythm];
}
