export * from "./differences.ts";
export { createShadowReport, maxDifferences, type ShadowReports } from "./read-report.ts";
export { createShadowWriter, type ShadowBatch, type WriteShadowBatch } from "./write-report.ts";
