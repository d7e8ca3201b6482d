import { digestOf } from "@postern/shared/platform/crypto";
import type { Logger } from "@postern/shared/platform/logging";
import { type RedisClient, removedPasskeyKey } from "@postern/shared/platform/redis";
import type { RemovedPasskeys } from "./removed-passkeys.ts";

/** Removed passkeys in Redis. Without Redis, password managers learn nothing. */
export function createRemovedPasskeys(redis: RedisClient, keyPrefix: string, logger: Logger): RemovedPasskeys {
  const keyOf = (id: string): string => removedPasskeyKey.build(keyPrefix, digestOf(id).toString("base64url"));
  return {
    note: async (id) => {
      await redis.set(keyOf(id), "1", "EX", removedPasskeyKey.ttlSeconds).catch((err: unknown) => {
        logger.warn({ err }, "removed passkey could not be noted; password managers may continue to offer it");
      });
    },
    has: async (id) => (await redis.exists(keyOf(id)).catch(() => 0)) === 1,
  };
}
