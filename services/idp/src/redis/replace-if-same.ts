import { defineScript, type RedisClient } from "@postern/shared/platform/redis";
import replaceIfSameLua from "./scripts/replace-if-same.lua?raw";

export interface Replacement {
  /** The value that was read, empty if the key did not exist. */
  readonly expected: string;
  readonly value: string;
  readonly ttlSeconds: number;
}

/** Replaces a value unless it was changed since it was read. @returns false if it was changed */
export function createReplaceIfSame(redis: RedisClient): (key: string, replacement: Replacement) => Promise<boolean> {
  const replace = defineScript(redis, {
    name: "replaceIfSame",
    lua: replaceIfSameLua,
    keys: ["valueKey"],
    args: ["expected", "replacement", "lifeSeconds"],
  });
  return async (key, { expected, value, ttlSeconds }) =>
    (await replace({ valueKey: key }, { expected, replacement: value, lifeSeconds: ttlSeconds })) === 1;
}
