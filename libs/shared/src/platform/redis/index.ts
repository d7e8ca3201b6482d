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
export { missingCommands, redisHealth } from "./health.ts";
export * from "./keys/account.ts";
export * from "./keys/browser.ts";
export * from "./keys/brute-force.ts";
export * from "./keys/counts.ts";
export { type KeyFamily, keyFamilies } from "./keys/family.ts";
export * from "./keys/general.ts";
export * from "./keys/history.ts";
export * from "./keys/jobs.ts";
export * from "./keys/oidc.ts";
export * from "./keys/regions.ts";
export * from "./keys/risk.ts";
export * from "./keys/saml.ts";
export { createRedisClock, type RedisClock, watchRedisClock } from "./redis-clock.ts";
export {
  defineScript,
  defineVariableScript,
  type RunVariableScript,
  readFields,
  type VariableScript,
} from "./script.ts";
export { together } from "./together.ts";
export { createTrackedValues, type TrackedValues } from "./tracked-values.ts";
