export type { RegionAppliers, RegionFeed, RegionOrigin, SnapshotPage } from "./appliers.ts";
export * from "./events.ts";
export { maxEventBytes, maxLogEntries, RegionLog, regionLogPurpose } from "./region-log.ts";
export * from "./region-status.ts";
