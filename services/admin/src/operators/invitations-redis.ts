import { randomInt } from "node:crypto";
import type { RiskNames } from "@postern/shared/domain/risk";
import { digestOf } from "@postern/shared/platform/crypto";
import { consoleInvitationKey, decidedInRedis, type RedisClient } from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";

/** Without characters that are easily confused. 20 of them cannot be guessed. */
const letters = "ABCDEFGHJKMNPQRSTUVWXYZ23456789";
const groups = 5;
const decided = decidedInRedis("invitations to the console cannot be reached");

const group = (): string => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join("");
const digest = (code: string): string =>
  digestOf(code.toUpperCase().replaceAll(/[^A-Z0-9]/gu, "")).toString("base64url");

/**
 * Codes that vouch for the second factor of a new operator, for whom the password alone would otherwise be enough. Every method throws
 * AppError `REDIS_UNAVAILABLE` if Redis cannot answer.
 */
export function createInvitations(
  redis: RedisClient,
  keyPrefix: string,
  names: Pick<RiskNames, "account">,
  clock: Clock,
) {
  const keyOf = (account: string): string => consoleInvitationKey.build(keyPrefix, names.account(account));
  return {
    /** Replaces an earlier code of the account. */
    issue: (account: string): Promise<{ readonly code: string; readonly expiresMs: number }> =>
      decided(async () => {
        const code = Array.from({ length: groups }, group).join("-");
        await redis.set(keyOf(account), digest(code), "EX", consoleInvitationKey.ttlSeconds);
        return { code, expiresMs: clock.now() + consoleInvitationKey.ttlSeconds * 1000 };
      }),
    /** Uses the code up. @returns whether it is the account's */
    redeem: (account: string, code: string): Promise<boolean> =>
      decided(async () => {
        const key = keyOf(account);
        const stored = await redis.get(key);
        // A wrong code leaves the right one; of two requests with the right one, one removes it.
        return stored !== null && stored === digest(code) && (await redis.del(key)) === 1;
      }),
  };
}
