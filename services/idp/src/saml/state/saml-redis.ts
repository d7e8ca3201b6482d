import { digestOf, type KeyRing } from "@postern/shared/platform/crypto";
import { decidedInRedis, type RedisClient } from "@postern/shared/platform/redis";

/** What every SAML store in Redis needs. */
export interface SamlRedisDeps {
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly keys: KeyRing;
}

export const digest = (value: string): string => digestOf(value).toString("base64url");

export const decided = decidedInRedis("SAML state cannot be reached");
