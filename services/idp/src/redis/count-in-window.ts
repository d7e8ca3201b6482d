import { defineScript, type RedisClient } from "@postern/shared/platform/redis";
import countInWindowLua from "./scripts/count-in-window.lua?raw";

/** Adds one to a count whose window begins with the first increment. @returns the count, including this increment */
export function createWindowCount(redis: RedisClient): (key: string, windowSeconds: number) => Promise<number> {
  const count = defineScript(redis, {
    name: "countInWindow",
    lua: countInWindowLua,
    keys: ["countKey"],
    args: ["windowSeconds"],
  });
  return async (key, windowSeconds) => {
    const counted = await count({ countKey: key }, { windowSeconds });
    if (typeof counted !== "number") throw new TypeError("the counting script did not return a number");
    return counted;
  };
}
