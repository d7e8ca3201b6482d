export * from "./counters.ts";
export * from "./periods.ts";
export { createRollupReader, objectives, type ReadRollups } from "./read-rollups.ts";
