export type { RegionAppliers, RegionFeed, RegionOrigin, SnapshotPage } from "./appliers.ts";
export { ChangeMarks, readChanges } from "./change-marks.ts";
export { createRegionEnvelope, type RegionEnvelope, regionEnvelopePurpose } from "./envelope.ts";
export * from "./events.ts";
export { maxEventBytes, RegionLog, type RegionLogDeps, regionLogPurpose } from "./region-log.ts";
export * from "./region-status.ts";
export { createSessionEnds, type SessionEnd, type SessionEnds } from "./session-ends.ts";
