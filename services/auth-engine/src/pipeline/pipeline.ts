import type { AuthDecision } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import type { Attempt } from "../decision/attempt.ts";
import { applyPolicies } from "./finalizers/apply-policies.ts";
import { assessRisk } from "./finalizers/assess-risk.ts";
import { countFailure } from "./finalizers/count-failure.ts";
import { determineAccountDelay } from "./finalizers/determine-account-delay.ts";
import { keepSuccess } from "./finalizers/keep-success.ts";
import { runSubjectScripts } from "./finalizers/run-subject-scripts.ts";
import type { Finalizer, Step, StepContext, StepDeps } from "./step.ts";
import { checkBruteForce } from "./steps/check-brute-force.ts";
import { lookUpInBackends } from "./steps/look-up-in-backends.ts";
import { readMemoryCache } from "./steps/read-memory-cache.ts";
import { readSharedCache } from "./steps/read-shared-cache.ts";
import { rejectEmptyPassword } from "./steps/reject-empty-password.ts";
import { runControls } from "./steps/run-controls.ts";
import { runEnvironmentScripts } from "./steps/run-environment-scripts.ts";
import { verifyAppPassword } from "./steps/verify-app-password.ts";
import { verifyInBackends } from "./steps/verify-in-backends.ts";
import { verifyMasterUser } from "./steps/verify-master-user.ts";
import { verifyToken } from "./steps/verify-token.ts";

/** The order of the steps; a test asserts it. The first step that returns a decision ends the sequence. */
export const steps: readonly Step[] = [
  rejectEmptyPassword,
  checkBruteForce,
  runControls,
  runEnvironmentScripts,
  verifyMasterUser,
  // Before the caches: sign-ins by token are never cached.
  verifyToken,
  verifyAppPassword,
  readMemoryCache,
  readSharedCache,
  lookUpInBackends,
  verifyInBackends,
];

/** What runs after a decision, in this order, whichever step made it. */
export const finalizers: readonly Finalizer[] = [
  countFailure,
  determineAccountDelay,
  assessRisk,
  keepSuccess,
  runSubjectScripts,
  applyPolicies,
];

/**
 * Awaits only promises: most steps have nothing to do for most attempts, and each needless await costs about 1 % of a
 * cached decision (docs/contributing/performance.md).
 *
 * @throws AppError if no decision was possible.
 */
export async function decide(attempt: Attempt, context: StepContext, deps: StepDeps): Promise<AuthDecision> {
  let decision: AuthDecision | undefined;
  for (const step of steps) {
    const outcome = step.run(attempt, context, deps);
    decision = outcome instanceof Promise ? await outcome : outcome;
    if (decision !== undefined) break;
  }
  if (decision === undefined) throw new AppError("INTERNAL", { detail: `no step decided ${attempt.operation}` });
  for (const finalizer of finalizers) {
    const standing = finalizer.run(attempt, decision, context, deps);
    decision = standing instanceof Promise ? await standing : standing;
  }
  return decision;
}
