import { defineScript, failureBudgetKey, type RedisClient, readFields } from "@postern/shared/platform/redis";
import type { TakeShared } from "./budget-booking.ts";
import takeFailureTokenLua from "./scripts/take-failure-token.lua?raw";

const takeFailureToken = {
  name: "takeFailureToken",
  lua: takeFailureTokenLua,
  keys: ["bucketKey"],
  args: ["intervalUs", "depthUs", "maxLifeMs"],
} as const;

export function createSharedBuckets(client: RedisClient, keyPrefix: string): TakeShared {
  const run = defineScript(client, takeFailureToken);
  const maxLifeMs = failureBudgetKey.ttlSeconds * 1000;
  return async (addressKey, { intervalUs, depthUs }) => {
    const reply = await run(
      { bucketKey: failureBudgetKey.build(keyPrefix, addressKey) },
      { intervalUs, depthUs, maxLifeMs },
    );
    const { granted, debtUs } = readFields(reply);
    if (typeof debtUs !== "number") throw new TypeError("the failure budget script did not return a number");
    return { granted: granted === 1, debtUs };
  };
}
