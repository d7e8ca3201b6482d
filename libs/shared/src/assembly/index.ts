export { auditHistoryFromConfig } from "./audit-history-from-config.ts";
export { type Base, baseFromConfig } from "./base.ts";
export { busFromConfig } from "./bus-from-config.ts";
export { type EngineBus, engineBusFromConfig, watchEngines } from "./engine-bus-from-config.ts";
export {
  accountNamesFromSettings,
  type FlushSettings,
  flushesFromConfig,
  flushSettings,
} from "./flushes-from-config.ts";
export { historyFromConfig, historyWriterFromConfig, recordsHistory } from "./history-from-config.ts";
export { keyRingFromConfig } from "./key-ring-from-config.ts";
export { notificationKeysFromConfig } from "./notification-keys-from-config.ts";
export { opaqueTokensFromConfig } from "./opaque-tokens-from-config.ts";
export { privateListenerAt } from "./private-listener-from-config.ts";
export { redisFromConfig } from "./redis-from-config.ts";
export { sentNotificationsFromConfig } from "./sent-notifications-from-config.ts";
export { createService, type ServiceParts } from "./service.ts";
export { createServiceReport, type OwnReport } from "./service-reports.ts";
export {
  type KeySetPlace,
  keySourceAt,
  maxCachedTokens,
  revocationFromConfig,
  stateUnreadable,
  type TokenParts,
} from "./token-parts.ts";
export { scriptPasswordReports, unverifiablePasswordCounter } from "./unverifiable-passwords.ts";
