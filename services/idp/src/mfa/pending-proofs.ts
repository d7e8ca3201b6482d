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

/**
 * Pending secrets and challenges, one of a kind per owner, for ten minutes. Every method throws AppError
 * `REDIS_UNAVAILABLE` if Redis cannot answer.
 */
export interface PendingProofs {
  /** Replaces the previous one. */
  put(kind: ProofKind, owner: string, value: string): Promise<void>;
  find(kind: ProofKind, owner: string): Promise<string | undefined>;
  /** Reads and deletes: of concurrent requests, on any replica, one gets the value. */
  take(kind: ProofKind, owner: string): Promise<string | undefined>;
}
