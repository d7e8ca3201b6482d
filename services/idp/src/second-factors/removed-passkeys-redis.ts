import { digestOf } from "@postern/shared/platform/crypto";
import type { Logger } from "@postern/shared/platform/logging";
import { type RedisClient, removedPasskeyKey } from "@postern/shared/platform/redis";

/** The passkeys that were removed from their accounts. Without Redis, password managers learn nothing. */
export function createRemovedPasskeys(redis: RedisClient, keyPrefix: string, logger: Logger) {
  const keyOf = (id: string): string => removedPasskeyKey.build(keyPrefix, digestOf(id).toString("base64url"));
  return {
    /** Stores it if possible; never rejects. */
    note: async (id: string): Promise<void> => {
      await redis.set(keyOf(id), "1", "EX", removedPasskeyKey.ttlSeconds).catch((err: unknown) => {
        logger.warn({ err }, "removed passkey could not be noted; password managers may continue to offer it");
      });
    },
    /** False if that cannot be determined. */
    has: async (id: string): Promise<boolean> => (await redis.exists(keyOf(id)).catch(() => 0)) === 1,
  };
}

export type RemovedPasskeys = ReturnType<typeof createRemovedPasskeys>;
