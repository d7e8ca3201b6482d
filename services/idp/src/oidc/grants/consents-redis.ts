import type { KeyRing } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import { oidcConsentKey, type RedisClient } from "@postern/shared/platform/redis";
import { wordsOf } from "../storage/json.ts";
import { digestOfId } from "../storage/store-redis.ts";

function unavailable(cause: unknown): AppError {
  return new AppError("REDIS_UNAVAILABLE", { detail: "consents cannot be read or written", cause });
}

/** Remembered consent, so that users need not consent every time. It outlives the session. */
export function createConsents(deps: {
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly keys: KeyRing;
}) {
  const { redis, keyPrefix, keys } = deps;
  const keyOf = (accountId: string, clientId: string): string =>
    oidcConsentKey.build(keyPrefix, digestOfId(JSON.stringify([accountId, clientId])));
  const read = async (key: string): Promise<readonly string[]> => {
    const stored = await redis.get(key).catch((error: unknown) => Promise.reject(unavailable(error)));
    return stored === null ? [] : wordsOf(keys.open(Buffer.from(stored, "base64"), key)?.toString("utf8"));
  };
  return {
    /** Whether the user has agreed to all of these scopes. */
    has: async (accountId: string, clientId: string, scopes: readonly string[]): Promise<boolean> => {
      const agreed = await read(keyOf(accountId, clientId));
      return agreed.length > 0 && scopes.every((scope) => agreed.includes(scope));
    },
    /** Deletes the consent; the user must consent next time. */
    forget: async (accountId: string, clientId: string): Promise<void> => {
      await redis.unlink(keyOf(accountId, clientId)).catch((error: unknown) => Promise.reject(unavailable(error)));
    },
    remember: async ({
      accountId,
      clientId,
      scopes,
      ttlSeconds,
    }: {
      readonly accountId: string;
      readonly clientId: string;
      readonly scopes: readonly string[];
      readonly ttlSeconds: number;
    }): Promise<void> => {
      const key = keyOf(accountId, clientId);
      const all = new Set([...(await read(key)), ...scopes]);
      const sealed = keys.seal([...all].join(" "), key).toString("base64");
      await redis.set(key, sealed, "EX", ttlSeconds).catch((error: unknown) => Promise.reject(unavailable(error)));
    },
  };
}

export type Consents = ReturnType<typeof createConsents>;
