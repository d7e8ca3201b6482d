export * from "./remembered-devices-redis.ts";
