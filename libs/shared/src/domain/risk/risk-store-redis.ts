import { within } from "../../platform/concurrency/index.ts";
import type { RedisClient } from "../../platform/redis/client.ts";
import { defineScript } from "../../platform/redis/script.ts";
import replaceRiskFactsLua from "./scripts/replace-risk-facts.lua?raw";

const replaceRiskFacts = {
  name: "replaceRiskFacts",
  lua: replaceRiskFactsLua,
  keys: ["factsKey"],
  args: ["expected", "replacement", "lifeSeconds"],
} as const;

export interface Replacement {
  /** Empty if there was no value. */
  readonly expected: string;
  readonly replacement: string;
  readonly lifeSeconds: number;
}

export type RiskStore = ReturnType<typeof createRiskStore>;

/** Reads and replaces stored facts. Both methods reject while Redis is unavailable. */
export function createRiskStore(redis: RedisClient, timeoutMs: number) {
  const replace = defineScript(redis, replaceRiskFacts);
  return {
    read: async (key: string): Promise<string | undefined> => (await within(redis.get(key), timeoutMs)) ?? undefined,
    /** @returns undefined if the value was replaced; otherwise the present one, empty if there is none */
    replace: async (
      factsKey: string,
      { expected, replacement, lifeSeconds }: Replacement,
    ): Promise<string | undefined> => {
      const present = await within(replace({ factsKey }, { expected, replacement, lifeSeconds }), timeoutMs);
      return typeof present === "string" ? present : undefined;
    },
  };
}
