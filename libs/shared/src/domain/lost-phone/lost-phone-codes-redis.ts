import { randomInt } from "node:crypto";
import { typedCode } from "../../contracts/index.ts";
import { digestOf } from "../../platform/crypto/constant-time.ts";
import type { RedisClient } from "../../platform/redis/client.ts";
import { decidedInRedis } from "../../platform/redis/decided.ts";
import { lostPhoneCodeKey } from "../../platform/redis/keys/browser.ts";
import { defineScript } from "../../platform/redis/script.ts";
import { together } from "../../platform/redis/together.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { accountDigest } from "../factor-locks/index.ts";
import redeemLostPhoneCodeLua from "./scripts/redeem-lost-phone-code.lua?raw";

/** Without characters that are easily confused on the telephone. 16 of them have 79 bits. */
const letters = "ABCDEFGHJKMNPQRSTUVWXYZ23456789";
const groups = 4;
const maxTries = 10;

const group = (): string => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join("");
const digest = (...texts: readonly string[]): string => digestOf(JSON.stringify(texts)).toString("base64url");

const decided = decidedInRedis("lost-phone codes cannot be reached");

/**
 * Codes that take the place of a second factor in one sign-in, one for each account, for an hour. Every method throws AppError
 * `REDIS_UNAVAILABLE` if Redis cannot answer.
 */
export function createLostPhoneCodes(redis: RedisClient, keyPrefix: string, clock: Clock) {
  const redeem = defineScript(redis, {
    name: "redeemLostPhoneCode",
    lua: redeemLostPhoneCodeLua,
    keys: ["codeKey"],
    args: ["digest", "flow", "maxTries"],
  });
  const keyOf = (account: string): string => lostPhoneCodeKey.build(keyPrefix, accountDigest(account));
  const { ttlSeconds } = lostPhoneCodeKey;
  return {
    /** Replaces an earlier code of the account. */
    issue: (account: string): Promise<{ readonly code: string; readonly expiresMs: number }> =>
      decided(async () => {
        const [key, code] = [keyOf(account), Array.from({ length: groups }, group).join("-")];
        const fields = { digest: digest(account, typedCode(code)) };
        await together(redis.multi().del(key).hset(key, fields).expire(key, ttlSeconds));
        return { code, expiresMs: Math.floor(clock.now()) + ttlSeconds * 1000 };
      }),
    /** Uses the code up: of concurrent sign-ins, on any replica, one redeems it. */
    redeem: (account: string, code: string, flowId: string): Promise<"redeemed" | "repeated" | "wrong"> =>
      decided(async () => {
        const args = { digest: digest(account, typedCode(code)), flow: digest(flowId), maxTries };
        const reply = await redeem({ codeKey: keyOf(account) }, args);
        return reply === "redeemed" || reply === "repeated" ? reply : "wrong";
      }),
    forget: (account: string): Promise<void> => decided(async () => void (await redis.unlink(keyOf(account)))),
  };
}

export type LostPhoneCodes = ReturnType<typeof createLostPhoneCodes>;
