import type { AuthDecision, DenialReason, Fail } from "@postern/shared/contracts";
import type { CallerDeadline } from "@postern/shared/platform/concurrency";
import type { Attempt } from "./attempt.ts";
import type { AccountFacts } from "./facts.ts";

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
