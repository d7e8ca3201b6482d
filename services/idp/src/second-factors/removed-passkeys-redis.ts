import { readCredential } from "@postern/shared/domain/passkeys";
import { digestOf } from "@postern/shared/platform/crypto";
import type { Logger } from "@postern/shared/platform/logging";
import { type RedisClient, removedPasskeyKey } from "@postern/shared/platform/redis";
import type { FactorStore } from "./factor-store-nats.ts";

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

type RemovedPasskeys = ReturnType<typeof createRemovedPasskeys>;

/** Notes each passkey that is removed. */
export function noteRemovedPasskeys(store: FactorStore, removed: RemovedPasskeys): FactorStore {
  return {
    ...store,
    deleteCredential: async (account, text, context) => {
      const change = await store.deleteCredential(account, text, context);
      const credential = readCredential(text);
      if (change === "done" && credential !== undefined) await removed.note(credential.id);
      return change;
    },
  };
}
