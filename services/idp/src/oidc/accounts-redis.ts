import type { KeyRing } from "@postern/shared/crypto";
import { AppError } from "@postern/shared/errors";
import { oidcAccountKey, type RedisClient } from "@postern/shared/redis";
import type { OidcAccount, OidcAccounts } from "./accounts.ts";
import { isRecord, textOf } from "./json.ts";
import { digestOfId } from "./store-redis.ts";

export interface AccountDeps {
  readonly redis: RedisClient;
  readonly prefix: string;
  readonly keys: KeyRing;
  /** Life of the longest token that names an account. */
  readonly ttlSeconds: () => number;
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function isAccount(value: unknown): value is OidcAccount {
  if (!isRecord(value) || textOf(value["accountId"]) === undefined || textOf(value["account"]) === undefined)
    return false;
  const { attributes } = value;
  return isRecord(attributes) && Object.values(attributes).every((list) => texts(list).length === Object(list).length);
}

function unavailable(cause: unknown): AppError {
  return new AppError("REDIS_UNAVAILABLE", { detail: "an account of the provider cannot be read or written", cause });
}

export function createOidcAccounts({ redis, prefix, keys, ttlSeconds }: AccountDeps): OidcAccounts {
  const keyOf = (accountId: string): string => oidcAccountKey.build(prefix, digestOfId(accountId));
  return {
    find: async (accountId) => {
      const key = keyOf(accountId);
      const stored = await redis.get(key).catch((error: unknown) => Promise.reject(unavailable(error)));
      const opened = stored === null ? undefined : keys.open(Buffer.from(stored, "base64"), key);
      const value: unknown = opened === undefined ? undefined : JSON.parse(opened.toString("utf8"));
      return isAccount(value) ? value : undefined;
    },
    save: async (account) => {
      const key = keyOf(account.accountId);
      const sealed = keys.seal(JSON.stringify(account), key).toString("base64");
      await redis.set(key, sealed, "EX", ttlSeconds()).catch((error: unknown) => Promise.reject(unavailable(error)));
    },
    keep: async (accountId) => {
      const kept = redis.expire(keyOf(accountId), ttlSeconds(), "GT");
      await kept.catch((error: unknown) => Promise.reject(unavailable(error)));
    },
  };
}
