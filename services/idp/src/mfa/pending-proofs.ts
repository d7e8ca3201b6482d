/** What a session (or, at a sign-in, a flow) was given and must show or confirm. */
export type ProofKind = "totp" | "recovery" | "webauthn_register" | "webauthn_login" | "passkey";

/**
 * Secrets and challenges under way, one of a kind for each owner, for ten minutes. Everything throws AppError
 * `REDIS_UNAVAILABLE` when nobody could decide.
 */
export interface PendingProofs {
  /** Replaces what was pending before. */
  put(kind: ProofKind, owner: string, value: string): Promise<void>;
  find(kind: ProofKind, owner: string): Promise<string | undefined>;
  /** Reads and forgets: of any number of requests, at any number of replicas, one gets the value. */
  take(kind: ProofKind, owner: string): Promise<string | undefined>;
}
