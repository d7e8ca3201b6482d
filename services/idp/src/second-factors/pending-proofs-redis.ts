import { digestOf, type KeyRing } from "@postern/shared/platform/crypto";
import { decidedInRedis, pendingProofKey, type RedisClient } from "@postern/shared/platform/redis";

/**
 * A secret or challenge that a session, or at sign-in a flow, received and must confirm. `webauthn_handle`: the user handle that goes with
 * a challenge. `webauthn_removed`: the user handles of passkeys that were removed.
 */
export type ProofKind =
  | "totp"
  | "recovery"
  | "webauthn_register"
  | "webauthn_handle"
  | "webauthn_removed"
  | "webauthn_login"
  | "passkey";
const decided = decidedInRedis("pending proofs cannot be reached");

/**
 * Pending secrets and challenges, one of a kind per owner, for ten minutes. Every method throws AppError
 * `REDIS_UNAVAILABLE` if Redis cannot answer.
 */
export function createPendingProofs(redis: RedisClient, keyPrefix: string, keys: KeyRing) {
  const keyOf = (kind: ProofKind, owner: string): string =>
    pendingProofKey.build(keyPrefix, kind, digestOf(owner).toString("base64url"));
  const open = (key: string, sealed: string | null): string | undefined =>
    sealed === null ? undefined : keys.open(Buffer.from(sealed, "base64url"), key)?.toString("utf8");
  return {
    /** Replaces the previous one. */
    put: (kind: ProofKind, owner: string, value: string): Promise<void> =>
      decided(async () => {
        const key = keyOf(kind, owner);
        await redis.set(key, keys.seal(value, key).toString("base64url"), "EX", pendingProofKey.ttlSeconds);
      }),
    find: (kind: ProofKind, owner: string): Promise<string | undefined> =>
      decided(async () => {
        const key = keyOf(kind, owner);
        return open(key, await redis.get(key));
      }),
    /** Reads and deletes: of concurrent requests, on any replica, one gets the value. */
    take: (kind: ProofKind, owner: string): Promise<string | undefined> =>
      decided(async () => {
        const key = keyOf(kind, owner);
        return open(key, await redis.getdel(key));
      }),
  };
}

export type PendingProofs = ReturnType<typeof createPendingProofs>;
