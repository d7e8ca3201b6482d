export * from "./counters.ts";
export * from "./periods.ts";
export * from "./read-rollups.ts";
