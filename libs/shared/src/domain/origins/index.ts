export * from "./periods.ts";
export { createOriginReader, type ReadOrigins } from "./read-origins.ts";
export * from "./tallies.ts";
