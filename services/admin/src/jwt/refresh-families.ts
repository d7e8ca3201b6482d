/**
 * `redeemed`: this was the valid token of its family, and the next one has replaced it. `unknown`: expired or revoked. `reused`: redeemed
 * before, so one of two holders has stolen it, and the whole family is revoked.
 */
export type Redemption = "redeemed" | "unknown" | "reused";

export interface Redeem {
  readonly family: string;
  /** `jti` of the presented token. */
  readonly presented: string;
  /** `jti` of its successor. */
  readonly next: string;
  readonly ttlSeconds: number;
  /** How long access tokens of a revoked family must be rejected, in seconds. */
  readonly denySeconds: number;
}

/** Single-use refresh tokens. Both functions reject if the store is unavailable; then no token is issued. */
export interface RefreshFamilies {
  begin(family: string, first: string, ttlSeconds: number): Promise<void>;
  /**
   * Atomic: of any number of concurrent calls with one token, in any number of processes, exactly one is `redeemed`.
   */
  redeem(redeem: Redeem): Promise<Redemption>;
}
