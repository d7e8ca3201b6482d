import { within } from "../../platform/concurrency/index.ts";
import type { RedisClient } from "../../platform/redis/client.ts";
import { defineScript } from "../../platform/redis/script.ts";
import type { RiskStore } from "./risk-store.ts";
import replaceRiskFactsLua from "./scripts/replace-risk-facts.lua?raw";

const replaceRiskFacts = {
  name: "replaceRiskFacts",
  lua: replaceRiskFactsLua,
  keys: ["factsKey"],
  args: ["expected", "replacement", "lifeSeconds"],
} as const;

export function createRiskStore(redis: RedisClient, timeoutMs: number): RiskStore {
  const replace = defineScript(redis, replaceRiskFacts);
  return {
    read: async (key) => (await within(redis.get(key), timeoutMs)) ?? undefined,
    replace: async (factsKey, { expected, replacement, lifeSeconds }) => {
      const present = await within(replace({ factsKey }, { expected, replacement, lifeSeconds }), timeoutMs);
      return typeof present === "string" ? present : undefined;
    },
  };
}
