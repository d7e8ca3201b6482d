import { digestOf } from "@postern/shared/platform/crypto";
import type { Logger } from "@postern/shared/platform/logging";
import { addressKey } from "@postern/shared/platform/net";
import {
  decidedInRedis,
  defineScript,
  passkeyAttemptsKey,
  type RedisClient,
  removedPasskeyKey,
} from "@postern/shared/platform/redis";
import { createWindowCount } from "../redis/count-in-window.ts";
import undoPasskeyAttemptLua from "./scripts/undo-passkey-attempt.lua?raw";

/** More than the passkeys of one network fail within the ten minutes of the window. */
const maxAttempts = 60;
/** The smallest network that a provider assigns to a customer. */
const ipv6Prefix = 64;

const decided = decidedInRedis("attempts by passkey cannot be counted");

/**
 * Limits per network the attempts with unknown passkeys, by which names could be probed. Accounts are not counted, so
 * that no account can be locked this way. Every method throws AppError `REDIS_UNAVAILABLE`.
 */
export function createPasskeyAttempts(redis: RedisClient, keyPrefix: string) {
  const count = createWindowCount(redis);
  const undo = defineScript(redis, {
    name: "undoPasskeyAttempt",
    lua: undoPasskeyAttemptLua,
    keys: ["countKey"],
    args: [],
  });
  const keyOf = (clientIp: string): string =>
    passkeyAttemptsKey.build(keyPrefix, digestOf(addressKey(clientIp, ipv6Prefix)).toString("base64url"));
  return {
    /**
     * Counts an attempt before it is verified, so that concurrent attempts count too. Without an address nothing is
     * counted, because all such browsers would share one count.
     *
     * @returns whether it may be made
     */
    admit: async (clientIp: string): Promise<boolean> =>
      clientIp === "" ||
      decided(async () => (await count(keyOf(clientIp), passkeyAttemptsKey.ttlSeconds)) <= maxAttempts),
    /** The attempt succeeded or could not be verified: undoes its count. */
    giveBack: async (clientIp: string): Promise<void> => {
      if (clientIp !== "") await decided(async () => undo({ countKey: keyOf(clientIp) }, {}));
    },
  };
}

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
