import { digestOf } from "@postern/shared/platform/crypto";
import { addressKey } from "@postern/shared/platform/net";
import { decidedInRedis, defineScript, passkeyAttemptsKey, type RedisClient } from "@postern/shared/platform/redis";
import { createWindowCount } from "../redis/count-in-window.ts";
import undoPasskeyAttemptLua from "./scripts/undo-passkey-attempt.lua?raw";

/**
 * Limits per network the attempts with unknown passkeys, by which names could be probed. Accounts are not counted, so
 * that no account can be locked this way. Every method throws AppError `REDIS_UNAVAILABLE`.
 */
export interface PasskeyAttempts {
  /**
   * Counts an attempt before it is verified, so that concurrent attempts count too. Without an address nothing is
   * counted, because all such browsers would share one count.
   *
   * @returns whether it may be made
   */
  admit(clientIp: string): Promise<boolean>;
  /** The attempt succeeded or could not be verified: undoes its count. */
  giveBack(clientIp: string): Promise<void>;
}

const undoPasskeyAttempt = {
  name: "undoPasskeyAttempt",
  lua: undoPasskeyAttemptLua,
  keys: ["countKey"],
  args: [],
} as const;

/** More than the passkeys of one network fail within the ten minutes of the window. */
const maxAttempts = 60;
/** The smallest network that a provider assigns to a customer. */
const ipv6Prefix = 64;

const decided = decidedInRedis("attempts by passkey cannot be counted");

export function createPasskeyAttempts(redis: RedisClient, keyPrefix: string): PasskeyAttempts {
  const count = createWindowCount(redis);
  const undo = defineScript(redis, undoPasskeyAttempt);
  const keyOf = (clientIp: string): string =>
    passkeyAttemptsKey.build(keyPrefix, digestOf(addressKey(clientIp, ipv6Prefix)).toString("base64url"));
  return {
    admit: async (clientIp) =>
      clientIp === "" ||
      decided(async () => (await count(keyOf(clientIp), passkeyAttemptsKey.ttlSeconds)) <= maxAttempts),
    giveBack: async (clientIp) => {
      if (clientIp !== "") await decided(async () => undo({ countKey: keyOf(clientIp) }, {}));
    },
  };
}
