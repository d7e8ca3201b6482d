export {
  createRedisClient,
  type RedisClient,
  type RedisRole,
  type RedisSettings,
  type RedisTls,
  type RedisTopology,
} from "./client.ts";
export { redisCommands, usefulRedisCommands } from "./commands.ts";
export { decidedInRedis } from "./decided.ts";
export { redisHealth } from "./health.ts";
export {
  accountEpochKey,
  accountNamesKey,
  accountResultsKey,
  cachedIdentityKey,
  cachedResultKey,
  flushGenerationKey,
  loginNameKey,
} from "./keys/account.ts";
export {
  accountSessionsKey,
  enrolmentsBeganKey,
  factorFlowAttemptsKey,
  failedSignInsKey,
  failedSignInsPerShard,
  flowKey,
  knownDevicesKey,
  latestFlowKey,
  mailProfileKey,
  passkeyAttemptsKey,
  pendingProofKey,
  removedPasskeyKey,
  sessionIdKey,
  sessionKey,
  usedTotpStepKey,
} from "./keys/browser.ts";
export {
  accountAddressesKey,
  accountIndexKey,
  countedRequestKey,
  guessesKey,
  repetitionsKey,
} from "./keys/brute-force.ts";
export { clientUsesKey } from "./keys/clients.ts";
export { consoleInvitationKey, consoleSessionKey, consoleSignInKey } from "./keys/console.ts";
export type { KeyFamily } from "./keys/family.ts";
export { flushQueue, foundKeysKey, jobKey, jobsPrefix, notificationJobKey, notificationQueue } from "./keys/jobs.ts";
export {
  oidcAccountKey,
  oidcConsentKey,
  oidcDeliveriesDueKey,
  oidcDeliveryKey,
  oidcDynamicIndexKey,
  oidcGuessKey,
  oidcIndexKey,
  oidcOnceKey,
  oidcOutcomeKey,
  oidcPendingKey,
  oidcPollKey,
  oidcRecordKey,
  oidcRegisteredIndexKey,
  oidcRegisteredKey,
  oidcRegistrationRateKey,
  oidcReplayKey,
  oidcSigningKeysKey,
  oidcSigningLeaseKey,
  oidcSubjectsKey,
  oidcUserCodeKey,
} from "./keys/oidc.ts";
export { riskAccountKey, riskNoticeKey, riskReviewKey, riskSourceKey } from "./keys/risk.ts";
export {
  samlDeliveriesDueKey,
  samlDeliveryKey,
  samlIndexKey,
  samlLogoutKey,
  samlLogoutRequestKey,
  samlMetadataKey,
  samlParticipantsKey,
  samlReplayKey,
  samlRequestKey,
  samlSigningKeysKey,
  samlWaitingLogoutKey,
} from "./keys/saml.ts";
export {
  deniedTokenKey,
  failureBudgetKey,
  keyFamilies,
  probeKey,
  refreshFamilyKey,
  tokenEpochKey,
} from "./keys.ts";
export { missingCommands } from "./missing-commands.ts";
export { createRedisClock, type RedisClock, watchRedisClock } from "./redis-clock.ts";
export {
  defineScript,
  defineVariableScript,
  type RunVariableScript,
  readFields,
  type VariableScript,
} from "./script.ts";
export { together } from "./together.ts";
