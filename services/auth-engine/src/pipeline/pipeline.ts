import type { AuthDecision } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/errors";
import type { Attempt } from "./attempt.ts";
import { applyPolicies } from "./finishes/apply-policies.ts";
import { countFailure } from "./finishes/count-failure.ts";
import { keepSuccess } from "./finishes/keep-success.ts";
import { runSubjectScripts } from "./finishes/run-subject-scripts.ts";
import type { Finish, Step, StepContext, StepDeps } from "./step.ts";
import { checkBruteForce } from "./steps/check-brute-force.ts";
import { lookUpInDirectories } from "./steps/look-up-in-directories.ts";
import { readMemoryCache } from "./steps/read-memory-cache.ts";
import { readSharedCache } from "./steps/read-shared-cache.ts";
import { rejectEmptyPassword } from "./steps/reject-empty-password.ts";
import { runControls } from "./steps/run-controls.ts";
import { runEnvironmentScripts } from "./steps/run-environment-scripts.ts";
import { verifyAppPassword } from "./steps/verify-app-password.ts";
import { verifyInDirectories } from "./steps/verify-in-directories.ts";
import { verifyMasterUser } from "./steps/verify-master-user.ts";
import { verifyToken } from "./steps/verify-token.ts";

/** The order of a decision (design §4); a test asserts it. The first step that decides ends it. */
export const steps: readonly Step[] = [
  rejectEmptyPassword,
  checkBruteForce,
  runControls,
  runEnvironmentScripts,
  verifyMasterUser,
  // Before the caches: logins by token are never cached.
  verifyToken,
  verifyAppPassword,
  readMemoryCache,
  readSharedCache,
  lookUpInDirectories,
  verifyInDirectories,
];

/** What follows a decision, in this order, whichever step made it. */
export const finishes: readonly Finish[] = [countFailure, keepSuccess, runSubjectScripts, applyPolicies];

/** @throws AppError when nobody could decide. */
export async function decide(attempt: Attempt, context: StepContext, deps: StepDeps): Promise<AuthDecision> {
  let decision: AuthDecision | undefined;
  for (const step of steps) {
    const result = step.run(attempt, context, deps);
    decision = result instanceof Promise ? await result : result;
    if (decision !== undefined) break;
  }
  if (decision === undefined) throw new AppError("INTERNAL", { detail: `no step decides ${attempt.operation}` });
  for (const finish of finishes) {
    const result = finish.run(attempt, decision, context, deps);
    decision = result instanceof Promise ? await result : result;
  }
  return decision;
}
