import type { AuthDecision, DenialReason, Fail } from "@postern/shared/contracts";
import type { Assessment } from "@postern/shared/domain/risk";
import type { CallerDeadline } from "@postern/shared/platform/concurrency";
import type { Attempt } from "./attempt.ts";

/**
 * What the steps of one decision found out about the account and the credential. Comments state which step sets a field. Features add facts
 * of their own.
 */
export interface AccountFacts {
  /** Whether a backend knows the account (verify-in-backends, `noteAccount`). Absent if no backend was queried. */
  accountKnown?: boolean;
  /**
   * The backend's name for an account whose password was wrong, if the backend returned it (verify-in-backends,
   * verify-app-password).
   */
  guessedAccount?: string | undefined;
  /** Name of the backend that decided, now or when the answer was cached (`noteAccount`). */
  backendName?: string;
  /** Names of the account's groups (`noteAccount`). Absent if no group search is configured. */
  groups?: readonly string[] | undefined;
  /** Kind of credential (verify-token, verify-app-password; for a password, the step that decided). */
  credential?: "password" | "app_password" | "token";
  /**
   * Since when the credential exists, in seconds since the epoch: an app password's creation (verify-app-password), or the sign-in from
   * which a token descends (verify-token). Absent for passwords, and if it is unknown.
   */
  credentialSince?: number | undefined;
  /**
   * Whether the account has a second factor (`noteAccount`, after a success). The first call queries the backend; it
   * throws if the backend cannot answer.
   */
  accountHasSecondFactor?: () => Promise<boolean>;
  /** A policy needs to know about the second factor, which is not known yet (apply-policies). */
  isSecondFactorWanted?: boolean;
  /** Whether the account has a second factor, once known (apply-policies). */
  hasSecondFactor?: boolean;
  /** What the step that decided answered, before the finalizers (`decide`). Only while a shadow compares it. */
  stepDecision?: AuthDecision;
}

/** Adds the score to a decision about a sign-in that raised a signal. */
export function withRisk(decision: AuthDecision, risk: Assessment | undefined): AuthDecision {
  if (risk === undefined || risk.signals.length === 0) return decision;
  if (decision.outcome !== "ok" && decision.outcome !== "fail") return decision;
  const { score, level, signals } = risk;
  return { ...decision, risk: { score, level, signals: signals.map(({ signal }) => signal) } };
}

/** A step names the facts that it reads and sets; `pipeline.ts` joins those of all features. */
export interface StepContext<Facts = AccountFacts> extends CallerDeadline {
  /** Findings of the earlier steps, for the later ones. */
  readonly facts: Facts;
}

/**
 * One step: returns a decision, or undefined to pass the attempt to the next step. Throws an `AppError` if no decision
 * is possible.
 */
export interface Step<Facts, Deps> {
  readonly name: string;
  run(
    attempt: Attempt,
    context: StepContext<Facts>,
    deps: Deps,
  ): Promise<AuthDecision | undefined> | AuthDecision | undefined;
}

/**
 * Runs after a decision, whichever step made it, and returns the decision to use from then on. Does not run if no
 * decision was possible.
 */
export interface Finalizer<Facts, Deps> {
  readonly name: string;
  run(
    attempt: Attempt,
    decision: AuthDecision,
    context: StepContext<Facts>,
    deps: Deps,
  ): Promise<AuthDecision> | AuthDecision;
}

/** A denial that no cache answered. */
export function denial(reason: DenialReason): Fail {
  return { outcome: "fail", reason, memoryCache: "miss" };
}
