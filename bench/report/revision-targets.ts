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

/** 300 of 690 µs, the middle of what was measured beside the other product. */
const rhythmShare = 0.43;

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
  const [own, base] = (["own-rhythm", "base-rhythm"] as const).map((id) => rowOf(results, id)?.cpuMicros.total);
  const rhythm = judged({
    title: `6,000 accounts, each once a minute: CPU / revision ${baseRevision}`,
    value: own === undefined || base === undefined ? undefined : own / base,
    atMost: rhythmShare,
    unit: " ×",
  });
  return [...ofRevision, rhythm];
}
