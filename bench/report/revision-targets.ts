import { type ComparedLoad, comparedLoads } from "../scenarios/loads.ts";
import { baseRevision } from "../stack/base-revision.ts";
import { type Results, rowOf } from "./results.ts";
import { judged, type Target } from "./target.ts";

/** Shares of the cost of an earlier revision (ADR 0261). */
const shares: Readonly<Record<ComparedLoad, number>> = {
  cached: 0.9,
  cbor: 0.92,
  wrong: 1.1,
  unknown: 1.1,
  ldap: 1.1,
  lookup: 1.1,
  banned: 1.1,
};

const rhythmShare = 1.2;

/** The rhythm of mail programs, and shares of an earlier revision. */
export function revisionTargets(results: Results): readonly Target[] {
  const ofRevision = comparedLoads.map((name) =>
    judged({
      title: `${name}: CPU / revision ${baseRevision}`,
      value: rowOf(results, `own-${name}`)?.added?.times,
      atMost: shares[name],
      unit: " ×",
      isPaired: true,
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
