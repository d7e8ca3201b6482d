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
  deniedTokenKey,
  type KeyFamily,
  keyFamilies,
  probeKey,
  refreshFamilyKey,
  tokenEpochKey,
} from "./keys.ts";
