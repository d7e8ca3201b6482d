export * from "./suspensions-redis.ts";
