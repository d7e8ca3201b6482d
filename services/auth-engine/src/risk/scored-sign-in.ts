import type { Ok } from "@postern/shared/contracts";
import type { AccountFacts, AssessedSignIn, Assessment, RiskMode, RiskVerdict } from "@postern/shared/domain/risk";
import type { RiskSubject } from "../brute-force/shared-store.ts";
import type { CachedFacts } from "../result-cache/result-caches.ts";

/** The score of a sign-in with a correct password, for later steps, policies, scripts and logs. */
export interface RiskFacts extends Assessment {
  readonly mode: RiskMode;
  readonly verdict: RiskVerdict;
  readonly scored: ScoredSignIn;
  /** Whether the verdict has changed the decision. */
  isRefused: boolean;
  /** The score of an equal sign-in in this minute, which has been remembered for the account. */
  readonly isRemembered?: boolean;
}

/** What was scored; remembered once the decision is sent. */
export interface ScoredSignIn {
  /** The account under its own name. */
  readonly subject: RiskSubject;
  /** The value in Redis; empty if there is none. */
  readonly read: string;
  readonly before: AccountFacts | undefined;
  readonly signIn: AssessedSignIn;
  readonly account: string;
  /** The hold of the account does not cover the app password. */
  readonly isExempt?: boolean;
  /** Creation of the app password. */
  readonly credentialSince?: number | undefined;
  /** One of them is the mail address for a notification. */
  readonly attributes: Ok["attributes"];
}

export interface ScoredFacts extends CachedFacts {
  /** The score of a sign-in with a correct password (assess-risk). */
  risk?: RiskFacts;
}
