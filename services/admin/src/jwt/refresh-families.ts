/**
 * `redeemed`: this was the one token of its family that counts, and the next one is in its place. `unknown`: over, or
 * revoked. `reused`: redeemed before, so that one of two holders has stolen it: the whole family is revoked.
 */
export type Redemption = "redeemed" | "unknown" | "reused";

export interface Redeem {
  readonly family: string;
  /** `jti` of the token that came. */
  readonly presented: string;
  /** `jti` of the one that takes its place. */
  readonly next: string;
  readonly ttlSeconds: number;
  /** How long access tokens of a revoked family have to be refused. */
  readonly denySeconds: number;
}

/** Refresh tokens, each good for one use. Both reject when the store cannot be asked: then nothing is issued. */
export interface RefreshFamilies {
  begin(family: string, first: string, ttlSeconds: number): Promise<void>;
  /** Atomic: of any number of redeems of one token, by any number of processes, one is `redeemed`. */
  redeem(redeem: Redeem): Promise<Redemption>;
}
