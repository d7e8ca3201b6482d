import type { AuthDecision } from "@postern/shared/contracts";
import type { CallerDeadline } from "@postern/shared/platform/concurrency";
import type { AccountShares } from "../backends/account-shares.ts";
import type { Backend } from "../backends/backend.ts";
import type { BruteForce } from "../brute-force/brute-force.ts";
import type { Controls } from "../controls/controls.ts";
import type { Attempt } from "../decision/attempt.ts";
import type { Facts } from "../facts/facts.ts";
import type { CheckMailToken } from "../mail-tokens/check-mail-token.ts";
import type { MasterUsers } from "../master-user/master-users.ts";
import type { Policies } from "../policy/policies.ts";
import type { ResultCaches } from "../result-cache/result-caches.ts";
import type { RiskProtection } from "../risk/risk.ts";
import type { SiteScripts } from "../scripts/site-scripts.ts";
import type { AppPasswordOutcome, AppPasswordUses } from "../second-factors/app-passwords.ts";

/** Dependencies of the steps. `backends` are in the order of `auth.backends.order`. */
export interface StepDeps {
  readonly backends: readonly Backend[];
  readonly accountShares: AccountShares;
  /** Absent while `auth.oauthbearer` is off. */
  readonly checkMailToken: CheckMailToken | undefined;
  readonly resultCaches: ResultCaches | undefined;
  /** Absent if `auth.controls.enabled` does not list brute-force protection. */
  readonly bruteForce: BruteForce | undefined;
  /** Absent without brute-force protection, in whose round trip it reads. */
  readonly risk: RiskProtection | undefined;
  /** Absent if `auth.controls.enabled` lists none of the controls. */
  readonly controls: Controls | undefined;
  /** Absent while `auth.pipeline.master_user` is off. */
  readonly masterUsers: MasterUsers | undefined;
  /** Absent while `auth.policy` has no rules. */
  readonly policies: Policies | undefined;
  readonly scripts: Pick<SiteScripts, "has" | "environment" | "subject">;
  readonly appPasswordUses: Pick<AppPasswordUses, "recordUse">;
  readonly appPasswordChecked: (outcome: AppPasswordOutcome) => void;
}

export interface StepContext extends CallerDeadline {
  /** Findings of the earlier steps, for the later ones. */
  readonly facts: Facts;
}

/**
 * One step: returns a decision, or undefined to pass the attempt to the next step. Throws an `AppError` if no decision
 * is possible.
 */
export interface Step {
  readonly name: string;
  run(
    attempt: Attempt,
    context: StepContext,
    deps: StepDeps,
  ): Promise<AuthDecision | undefined> | AuthDecision | undefined;
}

/**
 * Runs after a decision, whichever step made it, and returns the decision to use from then on. Does not run if no
 * decision was possible.
 */
export interface Finalizer {
  readonly name: string;
  run(
    attempt: Attempt,
    decision: AuthDecision,
    context: StepContext,
    deps: StepDeps,
  ): Promise<AuthDecision> | AuthDecision;
}
