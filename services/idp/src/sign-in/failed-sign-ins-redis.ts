import { digestOf, type KeyRing } from "@postern/shared/platform/crypto";
import {
  decidedInRedis,
  defineScript,
  failedSignInsKey,
  failedSignInsPerShard,
  type RedisClient,
} from "@postern/shared/platform/redis";
import { Type } from "typebox";
import { Value } from "typebox/value";
import type { Stored } from "../redis/stored.ts";
import noteFailedSignInLua from "./scripts/note-failed-sign-in.lua?raw";

const optional = Type.Optional(Type.Union([Type.String(), Type.Undefined()]));
const Failed = Type.Object({
  reference: Type.String(),
  session: Type.String(),
  timeMs: Type.Number(),
  step: Type.Enum(["password", "totp", "recovery", "webauthn", "passkey", "remembered_device", "lost_phone"]),
  outcome: Type.Enum(["denied", "blocked", "throttled", "undecided"]),
  reason: Type.String(),
  rule: optional,
  /** Set only if a backend has the account, because a name that was merely typed may be a password. */
  account: optional,
  clientIp: Type.String(),
  kind: Type.String(),
  client: optional,
});

/** A sign-in through the pages that failed, for the operator to whom a user reports its reference. */
type FailedSignIn = Stored<typeof Failed>;

const decided = decidedInRedis("failed sign-ins cannot be reached");

/**
 * Sealed, in shards of limited length, so that an attacker who makes thousands of sign-ins fail cannot fill the memory.
 * An entry is the digest of its reference and the sealed record. Every method throws AppError `REDIS_UNAVAILABLE`.
 */
export function createFailedSignIns(redis: RedisClient, keyPrefix: string, keys: KeyRing) {
  const add = defineScript(redis, {
    name: "noteFailedSignIn",
    lua: noteFailedSignInLua,
    keys: ["shardKey"],
    args: ["timeMs", "entry", "maxEntries", "lifeSeconds"],
  });
  const placeOf = (reference: string): { readonly key: string; readonly digest: string } => {
    const digest = digestOf(reference).toString("base64url");
    return { key: failedSignInsKey.build(keyPrefix, digest.slice(0, 1)), digest };
  };
  const opened = (key: string, entry: string): FailedSignIn | undefined => {
    const plain = keys.open(Buffer.from(entry.slice(entry.indexOf(".") + 1), "base64url"), key);
    const value: unknown = plain === undefined ? undefined : JSON.parse(plain.toString("utf8"));
    return Value.Check(Failed, value) ? value : undefined;
  };
  return {
    /** Removes the oldest entries when there are too many. */
    note: (failed: FailedSignIn): Promise<void> =>
      decided(async () => {
        const { key, digest } = placeOf(failed.reference);
        const sealed = keys.seal(JSON.stringify(failed), key).toString("base64url");
        await add(
          { shardKey: key },
          {
            timeMs: failed.timeMs,
            entry: `${digest}.${sealed}`,
            maxEntries: failedSignInsPerShard,
            lifeSeconds: failedSignInsKey.ttlSeconds,
          },
        );
      }),
    find: (reference: string): Promise<FailedSignIn | undefined> =>
      decided(async () => {
        const { key, digest } = placeOf(reference);
        const entries = await redis.zrange(key, "0", "-1");
        const entry = entries.findLast((text) => text.startsWith(`${digest}.`));
        return entry === undefined ? undefined : opened(key, entry);
      }),
  };
}
