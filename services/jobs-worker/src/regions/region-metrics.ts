import { type DropReason, dropReasons, type RegionStatus } from "@postern/shared/domain/regions";
import type { Metrics } from "@postern/shared/platform/metrics";

export function createRegionMetrics(registry: Metrics, prefix: string, peers: readonly string[]) {
  const read: { current: () => readonly RegionStatus[] } = { current: () => [] };
  const each = (valueOf: (status: RegionStatus) => number) => ({
    label: "region",
    values: peers,
    read: (region: string): number => {
      const status = read.current().find((one) => one.name === region);
      return status === undefined ? 0 : valueOf(status);
    },
  });
  registry.gaugeOfEach({
    name: `${prefix}_region_link_up`,
    help: "1 while the region answers this worker",
    ...each(({ link }) => (link === "up" ? 1 : 0)),
  });
  registry.gaugeOfEach({
    name: `${prefix}_region_lag_seconds`,
    help: "Age of the newest entry of the region when it was applied here",
    ...each(({ lagMs = 0 }) => lagMs / 1000),
  });
  registry.gaugeOfEach({
    name: `${prefix}_region_waiting`,
    help: "Entries of the region that are not yet applied here",
    ...each(({ waiting }) => waiting),
  });
  const applied = registry.counter({
    name: `${prefix}_region_applied_total`,
    help: "Entries of the region that were applied here",
    labels: { region: peers },
  });
  const dropped = registry.counter({
    name: `${prefix}_region_dropped_total`,
    help: "Messages and entries of the region that were not applied, by reason",
    labels: { region: peers, reason: dropReasons },
  });
  return {
    applied: (region: string, count: number): void => applied({ region }).inc(count),
    dropped: (region: string, reason: DropReason, count: number): void => dropped({ region, reason }).inc(count),
    /** Where the gauges read from now on. */
    follow: (statuses: () => readonly RegionStatus[]): void => {
      read.current = statuses;
    },
  };
}

export type RegionMetrics = ReturnType<typeof createRegionMetrics>;
