export { auditHistoryFromConfig } from "./audit-from-config.ts";
export { type Base, baseFromConfig } from "./base.ts";
export * from "./bus-from-config.ts";
export { type LiveDomains, liveDomainsFromConfig } from "./domains-from-config.ts";
export * from "./flushes-from-config.ts";
export * from "./history-from-config.ts";
export { keyRingFromConfig } from "./key-ring-from-config.ts";
export { ownRegionFromConfig } from "./own-region-from-config.ts";
export { redisFromConfig } from "./redis-from-config.ts";
export { regionCallsFromConfig } from "./region-calls-from-config.ts";
export {
  factMarksFromConfig,
  type Regions,
  regionLogFromConfig,
  regionsBusFromConfig,
  regionsFromConfig,
} from "./regions-from-config.ts";
export { rehearsalsFromConfig } from "./rehearsals-from-config.ts";
export { rememberedDevicesFromConfig } from "./remembered-devices-from-config.ts";
export * from "./service.ts";
export { suspensionsFromConfig } from "./suspensions-from-config.ts";
export * from "./token-parts.ts";
export * from "./unverifiable-passwords.ts";
