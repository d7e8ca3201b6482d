export { auditHistoryFromConfig } from "./audit-from-config.ts";
export { type Base, baseFromConfig } from "./base.ts";
export { busFromConfig, type EngineBus, engineBusFromConfig, watchEngines } from "./bus-from-config.ts";
export {
  accountNamesFromSettings,
  type FlushSettings,
  flushesFromConfig,
  flushSettings,
} from "./flushes-from-config.ts";
export { historyFromConfig, historyWriterFromConfig, recordsHistory } from "./history-from-config.ts";
export { keyRingFromConfig } from "./key-ring-from-config.ts";
export { redisFromConfig } from "./redis-from-config.ts";
export { createService, createServiceReport, type OwnReport, privateListenerAt, type ServiceParts } from "./service.ts";
export {
  type KeySetPlace,
  keySourceAt,
  maxCachedTokens,
  opaqueTokensFromConfig,
  revocationFromConfig,
  stateUnreadable,
  type TokenParts,
} from "./token-parts.ts";
export { scriptPasswordReports, unverifiablePasswordCounter } from "./unverifiable-passwords.ts";
