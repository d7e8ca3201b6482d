import type { KeyRing } from "@postern/shared/platform/crypto";
import {
  decidedInRedis,
  oidcAccountKey,
  oidcSubjectsKey,
  type RedisClient,
  together,
} from "@postern/shared/platform/redis";
import { digestOfId, isRecord, textOf, textsOf } from "../storage/models.ts";

/** An account as the backend returned it at the last sign-in; the source of claims. */
export interface OidcAccount {
  /** `sub`. */
  readonly accountId: string;
  /** The mailbox name: `username` in introspection. */
  readonly account: string;
  readonly displayName?: string | undefined;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
  readonly groups?: readonly string[] | undefined;
  readonly groupDns?: readonly string[] | undefined;
  readonly mfaMethod?: string | undefined;
  readonly mfaCompleted?: boolean | undefined;
}

function isAccount(value: unknown): value is OidcAccount {
  if (!isRecord(value) || textOf(value["accountId"]) === undefined || textOf(value["account"]) === undefined)
    return false;
  const { attributes } = value;
  return (
    isRecord(attributes) && Object.values(attributes).every((list) => textsOf(list).length === Object(list).length)
  );
}

const decided = decidedInRedis("an account of the provider cannot be read or written");

/**
 * @param ttlSeconds longest lifetime of a token with an account as its subject, in seconds.
 */
export function createOidcAccounts(redis: RedisClient, keyPrefix: string, keys: KeyRing, ttlSeconds: () => number) {
  const keyOf = (accountId: string): string => oidcAccountKey.build(keyPrefix, digestOfId(accountId));
  const subjectsKeyOf = (account: string): string => oidcSubjectsKey.build(keyPrefix, digestOfId(account));
  const find = async (accountId: string): Promise<OidcAccount | undefined> => {
    const key = keyOf(accountId);
    const stored = await decided(() => redis.get(key));
    const opened = stored === null ? undefined : keys.open(Buffer.from(stored, "base64"), key);
    const value: unknown = opened === undefined ? undefined : JSON.parse(opened.toString("utf8"));
    return isAccount(value) ? value : undefined;
  };
  return {
    /** Undefined for an account without a sign-in within the lifetime of any token. */
    find,
    /** Every current subject of the account with this name; empty if its subject is its name. */
    subjectsOf: async (account: string): Promise<readonly string[]> => {
      const key = subjectsKeyOf(account);
      const sealed = await decided(() => redis.hvals(key));
      const named = sealed.flatMap((text) => keys.open(Buffer.from(text, "base64"), key)?.toString("utf8") ?? []);
      // A subject that was assigned to another account since then belongs to that account.
      const known = await Promise.all(named.map(async (accountId) => find(accountId)));
      return known.flatMap((found) => (found?.account === account ? [found.accountId] : []));
    },
    /** Stores the account; called at each sign-in. */
    save: async (account: OidcAccount): Promise<void> => {
      const { accountId, account: name } = account;
      const key = keyOf(accountId);
      const sealed = keys.seal(JSON.stringify(account), key).toString("base64");
      await decided(async () => {
        // First, because tokens of a subject that is not listed could not be revoked.
        if (accountId !== name) {
          const subjects = subjectsKeyOf(name);
          const subject = keys.seal(accountId, subjects).toString("base64");
          await together(redis.multi().hset(subjects, digestOfId(accountId), subject).expire(subjects, ttlSeconds()));
        }
        await redis.set(key, sealed, "EX", ttlSeconds());
      });
    },
    /** Keeps the account for as long as a token issued now may live. */
    keep: async (accountId: string): Promise<void> => {
      await decided(() => redis.expire(keyOf(accountId), ttlSeconds(), "GT"));
      const name = (await find(accountId))?.account ?? accountId;
      if (name === accountId) return;
      const [subjects, life] = [subjectsKeyOf(name), ttlSeconds()];
      // GT never applies to a key without a TTL; NX sets one.
      await decided(() => together(redis.multi().expire(subjects, life, "NX").expire(subjects, life, "GT")));
    },
  };
}

export type OidcAccounts = ReturnType<typeof createOidcAccounts>;
