import type { SignInAttempt } from "./operator-session.ts";

/** What the identity provider says about an operator who has just signed in. */
export interface SignedIn {
  readonly account: string;
  /** When the operator signed in there, in milliseconds since the epoch. */
  readonly signedInMs: number;
  /** See `OperatorProof`; undefined from an earlier version. */
  readonly factor: string | undefined;
}

/** Why a sign-in was not accepted; `one_factor`: without a second factor, `unnamed`: without the claim for the account. */
export type SignInRefusal = "one_factor" | "unnamed" | "cancelled" | "invalid";

/** Our own identity provider, as a client sees it. @throws AppError UPSTREAM_UNAVAILABLE */
export interface Provider {
  /** Begins a sign-in: the attempt to keep, and the address to go to. */
  begin(
    wish: Pick<SignInAttempt, "next" | "isProof" | "replaces" | "invitation">,
  ): Promise<{ readonly attempt: SignInAttempt; readonly url: string }>;
  /** @param query of the request that the provider redirected here, with its question mark */
  complete(query: string, attempt: SignInAttempt): Promise<SignedIn | SignInRefusal>;
}
