export * from "./counters.ts";
export * from "./periods.ts";
export {
  createDayReader,
  createRollupReader,
  objectives,
  type ReadDay,
  type ReadRollups,
  type TenMinutes,
} from "./read-rollups.ts";
