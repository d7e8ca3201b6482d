import { randomBytes } from "node:crypto";
import { digestOf, type KeyRing } from "@postern/shared/platform/crypto";
import { decidedInRedis, mailProfileKey, type RedisClient } from "@postern/shared/platform/redis";

/** What a profile is made of. */
export interface OfferedProfile {
  readonly address: string;
  /** Name of the user in outgoing mail. */
  readonly name: string;
  readonly password: string;
}

const decided = decidedInRedis("mail profiles cannot be reached");

function profileIn(text: string): OfferedProfile | undefined {
  const { address, name, password } = Object(JSON.parse(text));
  if (typeof address !== "string" || typeof name !== "string" || typeof password !== "string") return undefined;
  return { address, name, password };
}

/**
 * Profiles that users have just created, for ten minutes, each behind a link with 256 random bits. Every method throws
 * AppError `REDIS_UNAVAILABLE` if Redis cannot answer.
 */
export function createProfileOffers(redis: RedisClient, keyPrefix: string, keys: KeyRing) {
  const keyOf = (token: string): string => mailProfileKey.build(keyPrefix, digestOf(token).toString("base64url"));
  return {
    /** @returns the token of the link */
    offer: (profile: OfferedProfile): Promise<string> =>
      decided(async () => {
        const token = randomBytes(32).toString("base64url");
        const key = keyOf(token);
        const sealed = keys.seal(JSON.stringify(profile), key).toString("base64url");
        await redis.set(key, sealed, "EX", mailProfileKey.ttlSeconds);
        return token;
      }),
    /** Reads and deletes: of concurrent requests, on any replica, one gets the profile. */
    take: (token: string): Promise<OfferedProfile | undefined> =>
      decided(async () => {
        const key = keyOf(token);
        const sealed = await redis.getdel(key);
        const text = sealed === null ? undefined : keys.open(Buffer.from(sealed, "base64url"), key)?.toString("utf8");
        return text === undefined ? undefined : profileIn(text);
      }),
  };
}

export type ProfileOffers = ReturnType<typeof createProfileOffers>;
