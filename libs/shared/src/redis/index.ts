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
export { guessesKey } from "./keys/brute-force.ts";
export {
  deniedTokenKey,
  failureBudgetKey,
  type KeyFamily,
  keyFamilies,
  probeKey,
  refreshFamilyKey,
  tokenEpochKey,
} from "./keys.ts";
export { defineScript, type RedisScript, type RunScript } from "./script.ts";
