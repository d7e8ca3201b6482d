import type { DomainSignIns, DomainTraffic } from "@postern/shared/contracts";
import { type DomainCounts, dateOf, type ReadDomainCounts } from "@postern/shared/domain/domain-counts";

export function writtenTraffic({ days, lastMs }: DomainCounts): DomainTraffic {
  return {
    days: days.map(({ day, ok, failed }) => ({ date: dateOf(day), successes: ok, failures: failed })),
    successes: days.reduce((sum, { ok }) => sum + ok, 0),
    failures: days.reduce((sum, { failed }) => sum + failed, 0),
    ...(lastMs !== undefined && { last: new Date(lastMs).toISOString() }),
  };
}

export function writtenSignIns(counts: DomainCounts): DomainSignIns {
  return { ...writtenTraffic(counts), accounts_since: dateOf(counts.accountsSince), ...counts.accounts };
}

/** The counts of domains by name; empty if Redis does not answer, because records are shown without it. */
export async function readCounts(
  read: ReadDomainCounts,
  names: readonly string[],
  nowMs: number,
): Promise<ReadonlyMap<string, DomainCounts>> {
  const counts = await read(names, nowMs).catch(() => []);
  return new Map(names.flatMap((name, index) => (counts[index] === undefined ? [] : [[name, counts[index]]])));
}
