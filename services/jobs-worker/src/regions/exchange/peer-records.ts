import type { RegionStatuses } from "@postern/shared/domain/regions";
import { fromUnknown, logFields } from "@postern/shared/platform/errors";
import type { Logger } from "@postern/shared/platform/logging";
import type { Clock } from "@postern/shared/platform/time";
import type { RegionMetrics } from "../region-metrics.ts";
import { PeerRecord } from "./peer-record.ts";

interface RecordsDeps {
  readonly statuses: Pick<RegionStatuses, "read">;
  /** That of Redis. */
  readonly clock: Clock;
  readonly metrics: Pick<RegionMetrics, "applied" | "dropped">;
  readonly logger: Logger;
}

/** Records that go on with what an earlier worker wrote. */
export function createRecordsOf({ statuses, clock, metrics, logger }: RecordsDeps) {
  const onLink = (region: string, link: "up" | "down", error: unknown): void => {
    if (link === "up") logger.info({ region }, "the other region answers");
    else logger.warn({ region, ...logFields(fromUnknown(error)) }, "the other region does not answer");
  };
  return async (peers: readonly string[]): Promise<readonly PeerRecord[]> => {
    const { regions } = await statuses.read();
    const deps = { clock, onLink, onApplied: metrics.applied, onDropped: metrics.dropped };
    return peers.map((peer) => {
      const found = regions.find(({ name }) => name === peer);
      if (found === undefined) return new PeerRecord(peer, deps);
      const { isForgetting: _, ...before } = found;
      return new PeerRecord(peer, deps, before);
    });
  };
}
