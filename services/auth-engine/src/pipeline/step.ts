import type { AuthDecision } from "@postern/shared/contracts";
import type { BruteForce } from "../brute-force/brute-force.ts";
import type { Controls } from "../controls/controls.ts";
import type { Directory } from "../directories/directory.ts";
import type { CheckMailToken } from "../mail-tokens/check-mail-token.ts";
import type { MasterUsers } from "../master-user/master-users.ts";
import type { AppPasswordOutcome, AppPasswordUses } from "../mfa-artefacts/app-password-uses.ts";
import type { Policies } from "../policy/policies.ts";
import type { ResultCaches } from "../result-cache/result-caches.ts";
import type { SiteScripts } from "../scripts/site-scripts.ts";
import type { Attempt } from "./attempt.ts";
import type { Facts } from "./facts.ts";

/** What every step may use. `directories` are in the order of `auth.backends.order`. */
export interface StepDeps {
  readonly directories: readonly Directory[];
  /** Absent while `auth.oauthbearer` is off. */
  readonly checkMailToken: CheckMailToken | undefined;
  readonly resultCaches: ResultCaches | undefined;
  /** Absent while `auth.controls.enabled` does not name it. */
  readonly bruteForce: BruteForce | undefined;
  /** Absent while none of `auth.controls.enabled` is one. */
  readonly controls?: Controls | undefined;
  /** Absent while `auth.pipeline.master_user` is off. */
  readonly masterUsers?: MasterUsers | undefined;
  /** Absent while `auth.policy` has no rules. */
  readonly policies?: Policies | undefined;
  /** Absent where no site scripts run, as in tests of other steps. */
  readonly scripts?: SiteScripts | undefined;
  /** Absent where nobody keeps or counts them, as in tests of other steps. */
  readonly appPasswordUses?: Pick<AppPasswordUses, "note"> | undefined;
  readonly appPasswordChecked?: ((outcome: AppPasswordOutcome) => void) | undefined;
}

export interface StepContext {
  /** Absolute, in epoch milliseconds. */
  readonly deadline: number;
  readonly signal: AbortSignal;
  /** What this decision's steps found out, for the steps after them. */
  readonly facts: Facts;
}

/** Decides, or leaves it to the next step with undefined; throws an `AppError` when nobody can decide. */
export interface Step {
  readonly name: string;
  run(
    attempt: Attempt,
    context: StepContext,
    deps: StepDeps,
  ): Promise<AuthDecision | undefined> | AuthDecision | undefined;
}

/** What is done about a decision, whoever made it: it returns the decision that stands then. Not run when nobody could decide. */
export interface Finish {
  readonly name: string;
  run(
    attempt: Attempt,
    decision: AuthDecision,
    context: StepContext,
    deps: StepDeps,
  ): Promise<AuthDecision> | AuthDecision;
}
