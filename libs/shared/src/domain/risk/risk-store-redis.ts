import { within } from "../../platform/concurrency/index.ts";
import type { RedisClient } from "../../platform/redis/client.ts";
import { defineScript } from "../../platform/redis/script.ts";
import replaceRiskFactsLua from "./scripts/replace-risk-facts.lua?raw";

/** Where facts are. Both reject while Redis is unavailable. */
export interface RiskStore {
  readonly read: (key: string) => Promise<string | undefined>;
  /** Undefined if the value was replaced; otherwise the present one, empty if there is none. */
  readonly replace: (key: string, values: Replacement) => Promise<string | undefined>;
}

export interface Replacement {
  /** Empty if there was no value. */
  readonly expected: string;
  readonly replacement: string;
  readonly lifeSeconds: number;
}

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
