import type { AuthDecision, Ok } from "@postern/shared/contracts";
import type { AccountFacts, AssessedSignIn, Assessment, RiskMode, RiskVerdict } from "@postern/shared/domain/risk";
import type { RiskSubject } from "../brute-force/risk-read.ts";

/** The score of a sign-in with a correct password, for later steps, policies, scripts and logs. */
export interface RiskFacts extends Assessment {
  readonly mode: RiskMode;
  readonly verdict: RiskVerdict;
  readonly scored: ScoredSignIn;
  /** Whether the verdict has changed the decision. */
  isRefused: boolean;
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

/** Adds the score to a decision about a sign-in that raised a signal. */
export function withRisk(decision: AuthDecision, risk: RiskFacts | undefined): AuthDecision {
  if (risk === undefined || risk.signals.length === 0) return decision;
  if (decision.outcome !== "ok" && decision.outcome !== "fail") return decision;
  const { score, level, signals } = risk;
  return { ...decision, risk: { score, level, signals: signals.map(({ signal }) => signal) } };
}
