export {
  createRedisClient,
  type RedisClient,
  type RedisRole,
  type RedisSettings,
  type RedisTls,
  type RedisTopology,
} from "./client.ts";
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
  factorAttemptsKey,
  flowKey,
  knownDevicesKey,
  latestFlowKey,
  pendingProofKey,
  sessionIdKey,
  sessionKey,
  usedTotpStepKey,
} from "./keys/browser.ts";
export { guessesKey } from "./keys/brute-force.ts";
export type { KeyFamily } from "./keys/family.ts";
export {
  oidcAccountKey,
  oidcConsentKey,
  oidcGuessKey,
  oidcIndexKey,
  oidcNoticeKey,
  oidcNoticesDueKey,
  oidcOnceKey,
  oidcPollKey,
  oidcRecordKey,
  oidcReplayKey,
  oidcSigningKeysKey,
  oidcSigningLeaseKey,
  oidcUserCodeKey,
} from "./keys/oidc.ts";
export {
  samlAskedKey,
  samlIndexKey,
  samlLogoutKey,
  samlMetadataKey,
  samlNoticeKey,
  samlNoticesDueKey,
  samlParticipantsKey,
  samlReplayKey,
  samlRequestKey,
  samlSigningKeysKey,
} from "./keys/saml.ts";
export {
  deniedTokenKey,
  failureBudgetKey,
  keyFamilies,
  probeKey,
  refreshFamilyKey,
  tokenEpochKey,
} from "./keys.ts";
export { defineScript, type RedisScript, type RunScript } from "./script.ts";
