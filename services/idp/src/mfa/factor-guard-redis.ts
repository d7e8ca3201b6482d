import { digestOf } from "@postern/shared/crypto";
import { AppError } from "@postern/shared/errors";
import { defineScript, factorAttemptsKey, type RedisClient, usedTotpStepKey } from "@postern/shared/redis";
import type { FactorGuard } from "./factor-guard.ts";

/** KEYS: count. ARGV: most attempts, window in seconds. The window begins with the first attempt and does not move. */
const admitScript = `
local count = redis.call("INCR", KEYS[1])
if count == 1 then redis.call("EXPIRE", KEYS[1], ARGV[2]) end
return count <= tonumber(ARGV[1]) and 1 or 0
`;

const digest = (account: string): string => digestOf(account).toString("base64url");

async function decided<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new AppError("REDIS_UNAVAILABLE", { detail: "attempts at second factors cannot be counted", cause });
  }
}

export function createFactorGuard(redis: RedisClient, prefix: string, maxAttempts: number): FactorGuard {
  const admit = defineScript(redis, { name: "posternFactorAdmit", lua: admitScript, numberOfKeys: 1 });
  const countKey = (account: string): string => factorAttemptsKey.build(prefix, digest(account));
  return {
    admit: (account) =>
      decided(async () => (await admit([countKey(account)], [maxAttempts, factorAttemptsKey.ttlSeconds])) === 1),
    succeeded: (account) => decided(async () => void (await redis.del(countKey(account)))),
    claimTotpStep: (account, step) =>
      decided(async () => {
        const key = usedTotpStepKey.build(prefix, digest(account), String(step));
        return (await redis.set(key, "1", "EX", usedTotpStepKey.ttlSeconds, "NX")) === "OK";
      }),
  };
}
