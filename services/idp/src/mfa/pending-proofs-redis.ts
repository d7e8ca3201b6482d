import { digestOf, type KeyRing } from "@postern/shared/platform/crypto";
import { decidedInRedis, pendingProofKey, type RedisClient } from "@postern/shared/platform/redis";
import type { PendingProofs, ProofKind } from "./pending-proofs.ts";

const decided = decidedInRedis("pending proofs cannot be reached");

export function createPendingProofs(redis: RedisClient, keyPrefix: string, keys: KeyRing): PendingProofs {
  const keyOf = (kind: ProofKind, owner: string): string =>
    pendingProofKey.build(keyPrefix, kind, digestOf(owner).toString("base64url"));
  const open = (key: string, sealed: string | null): string | undefined =>
    sealed === null ? undefined : keys.open(Buffer.from(sealed, "base64url"), key)?.toString("utf8");
  return {
    put: (kind, owner, value) =>
      decided(async () => {
        const key = keyOf(kind, owner);
        await redis.set(key, keys.seal(value, key).toString("base64url"), "EX", pendingProofKey.ttlSeconds);
      }),
    find: (kind, owner) =>
      decided(async () => {
        const key = keyOf(kind, owner);
        return open(key, await redis.get(key));
      }),
    take: (kind, owner) =>
      decided(async () => {
        const key = keyOf(kind, owner);
        return open(key, await redis.getdel(key));
      }),
  };
}
