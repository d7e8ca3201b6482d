import type { Static, TSchema } from "typebox";
import { compileCheck } from "../../platform/bus/schema-check.ts";
import type { KeyRing } from "../../platform/crypto/key-ring.ts";
import type { RedisClient } from "../../platform/redis/client.ts";

/** Where a history is kept: decisions, audit records and sent notifications, each with keys of its own purpose. */
export interface HistoryStore {
  /** The client of the role `state`. */
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly keys: KeyRing;
}

/** A record as text. It is bound to its Redis key, so that no record can be moved to another history. */
export function sealRecord(
  keys: KeyRing,
  key: string,
  record: unknown,
  encoding: "base64" | "base64url" = "base64",
): string {
  return keys.seal(JSON.stringify(record), key).toString(encoding);
}

/** What `sealRecord` was given, in either encoding, to be checked by the caller; undefined for a text that no key decrypts. */
export function openRecord(keys: KeyRing, key: string, sealed: string): unknown {
  const plain = keys.open(Buffer.from(sealed, "base64"), key);
  if (plain === undefined) return undefined;
  try {
    return JSON.parse(plain.toString("utf8"));
  } catch {
    return undefined;
  }
}

const perAccount = 20;

/** The latest records of each account, under one key. Both methods reject without Redis. */
export function createLatestRecords<Schema extends TSchema>(
  { redis, keys }: HistoryStore,
  schema: Schema,
  lifeSeconds: number,
) {
  const check = compileCheck(schema);
  return {
    add: async (key: string, record: Static<Schema>): Promise<void> => {
      await redis
        .multi()
        .lpush(key, sealRecord(keys, key, record, "base64url"))
        .ltrim(key, 0, perAccount - 1)
        .expire(key, lifeSeconds)
        .exec();
    },
    list: async (key: string): Promise<readonly Static<Schema>[]> => {
      const found = await redis.lrange(key, 0, perAccount - 1);
      return found.map((text) => openRecord(keys, key, text)).filter((value) => check.accepts(value));
    },
  };
}

/** Newest first. */
export function newestFirst<Item extends { readonly timeMs: number }>(items: readonly Item[]): readonly Item[] {
  return items.toSorted((a, b) => b.timeMs - a.timeMs);
}

export interface HistoryLimits {
  /** Lifetime of what is recorded individually. */
  readonly lifeSeconds: number;
  /** Time for which ordinary successes are counted by day. */
  readonly countsSeconds: number;
  readonly perAccount: number;
  readonly perNetwork: number;
  readonly maxAccounts: number;
  readonly maxNetworks: number;
}

export type HistoryWriterOptions = HistoryStore & {
  readonly limits: HistoryLimits;
  /** Name of this process, in each record. */
  readonly instance: string;
};

export const secondsOf = (ms: number): number => Math.floor(ms / 1000);
