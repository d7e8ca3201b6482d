import { randomBytes } from "node:crypto";
import { digestOf, type KeyRing } from "@postern/shared/platform/crypto";
import { decidedInRedis, type KeyFamily, type RedisClient, samlReplayKey } from "@postern/shared/platform/redis";
import type { Static, TSchema } from "typebox";
import { Value } from "typebox/value";
import type { Stored } from "../../redis/stored.ts";

export interface SamlRedisDeps {
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly keys: KeyRing;
}

export const digest = (value: string): string => digestOf(value).toString("base64url");

export const decided = decidedInRedis("SAML state cannot be reached");

/** Seals a value for the key in Redis under which it is stored. */
export function sealed(keys: KeyRing, value: unknown, key: string): string {
  return keys.seal(JSON.stringify(value), key).toString("base64");
}

/** The sealed value; undefined if there is none, no key opens it, or it has another form. */
export function opened<Schema extends TSchema>(
  keys: KeyRing,
  schema: Schema,
  { stored, key }: { readonly stored: string | null | undefined; readonly key: string },
): Static<Schema> | undefined {
  const plain = typeof stored === "string" ? keys.open(Buffer.from(stored, "base64"), key) : undefined;
  const value: unknown = plain === undefined ? undefined : JSON.parse(plain.toString("utf8"));
  return Value.Check(schema, value) ? value : undefined;
}

/**
 * Records that wait for a request of the same browser. Keys contain a digest of each id; values are sealed. Every method throws AppError
 * `REDIS_UNAVAILABLE` if Redis cannot answer.
 */
export function createWaitingRecords<Schema extends TSchema>(
  { redis, keyPrefix, keys }: SamlRedisDeps,
  { build, ttlSeconds }: KeyFamily<[id: string]>,
  schema: Schema,
) {
  const keyOf = (id: string): string => build(keyPrefix, digest(id));
  return {
    /** Stores a record under a new id. */
    save: (record: Stored<Schema>): Promise<string> =>
      decided(async () => {
        const id = randomBytes(32).toString("base64url");
        await redis.set(keyOf(id), sealed(keys, record, keyOf(id)), "EX", ttlSeconds);
        return id;
      }),
    /** @returns false if the record has expired */
    replace: (id: string, record: Stored<Schema>): Promise<boolean> =>
      decided(
        async () => (await redis.set(keyOf(id), sealed(keys, record, keyOf(id)), "EX", ttlSeconds, "XX")) === "OK",
      ),
    find: (id: string): Promise<Static<Schema> | undefined> =>
      decided(async () => opened(keys, schema, { stored: await redis.get(keyOf(id)), key: keyOf(id) })),
    /** Reads and deletes a record: of concurrent calls, one gets it. */
    take: (id: string): Promise<Static<Schema> | undefined> =>
      decided(async () => opened(keys, schema, { stored: await redis.getdel(keyOf(id)), key: keyOf(id) })),
  };
}

/** Remembers the messages that were accepted, so that none is accepted twice. */
export function createReplayGuard({ redis, keyPrefix }: Omit<SamlRedisDeps, "keys">) {
  return {
    /** Remembers the message. @returns false when it was known already. @throws AppError when that cannot be determined */
    isFirst: (entityId: string, messageId: string): Promise<boolean> =>
      decided(async () => {
        const key = samlReplayKey.build(keyPrefix, digest(JSON.stringify([entityId, messageId])));
        return (await redis.set(key, "1", "EX", samlReplayKey.ttlSeconds, "NX")) === "OK";
      }),
  };
}

export type ReplayGuard = ReturnType<typeof createReplayGuard>;
