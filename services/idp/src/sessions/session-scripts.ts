import { defineScript, type RedisClient } from "@postern/shared/platform/redis";
import indexSessionLua from "./scripts/index-session.lua?raw";
import insertSessionLua from "./scripts/insert-session.lua?raw";
import removeSessionLua from "./scripts/remove-session.lua?raw";
import replaceSessionLua from "./scripts/replace-session.lua?raw";
import touchSessionLua from "./scripts/touch-session.lua?raw";

export function sessionScripts(redis: RedisClient) {
  const keys = ["recordKey"] as const;
  return {
    index: defineScript(redis, {
      name: "indexSession",
      lua: indexSessionLua,
      keys: ["indexKey"],
      args: ["endMs", "lifeMs", "uid"],
    }),
    insert: defineScript(redis, {
      name: "insertSession",
      lua: insertSessionLua,
      keys,
      args: ["sealed", "nowMs", "lifeMs"],
    }),
    remove: defineScript(redis, { name: "removeSession", lua: removeSessionLua, keys, args: ["expectedVersion"] }),
    replace: defineScript(redis, {
      name: "replaceSession",
      lua: replaceSessionLua,
      keys,
      args: ["expectedVersion", "sealed", "lifeMs"],
    }),
    touch: defineScript(redis, { name: "touchSession", lua: touchSessionLua, keys, args: ["nowMs", "lifeMs"] }),
  };
}
