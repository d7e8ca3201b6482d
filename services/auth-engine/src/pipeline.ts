import type { AuthDecision } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import type { AccountShares } from "./backends/account-shares.ts";
import type { Backend } from "./backends/backend.ts";
import { lookUpInBackends } from "./backends/look-up-in-backends.ts";
import { verifyInBackends } from "./backends/verify-in-backends.ts";
import type { BruteForce } from "./brute-force/brute-force.ts";
import { checkBruteForce } from "./brute-force/check-brute-force.ts";
import { countFailure, determineAccountDelay } from "./brute-force/count-failure.ts";
import { type Controls, runControls } from "./controls/controls.ts";
import type { CheckMailToken } from "./mail-tokens/check-mail-token.ts";
import { verifyToken } from "./mail-tokens/verify-token.ts";
import type { MasterUsers } from "./master-user/master-users.ts";
import { verifyMasterUser } from "./master-user/verify-master-user.ts";
import type { Attempt } from "./pipeline/attempt.ts";
import type { Finalizer, Step, StepContext } from "./pipeline/step.ts";
import type { PolicyFacts } from "./policy/fact-readers.ts";
import { applyPolicies, type Policies } from "./policy/policies.ts";
import { keepSuccess } from "./result-cache/keep-success.ts";
import { readMemoryCache, readSharedCache } from "./result-cache/read-caches.ts";
import type { ResultCaches } from "./result-cache/result-caches.ts";
import { assessRisk } from "./risk/assess-risk.ts";
import type { RiskProtection } from "./risk/risk.ts";
import { runEnvironmentScripts, runSubjectScripts } from "./scripts/script-steps.ts";
import type { SiteScripts } from "./scripts/site-scripts.ts";
import type { AppPasswordOutcome, AppPasswordUses } from "./second-factors/app-passwords.ts";
import { verifyAppPassword } from "./second-factors/verify-app-password.ts";

/** What the steps of one decision found out. Policies may be about any of it. */
export type Facts = PolicyFacts;

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

/** Denies an empty password before any backend sees it: LDAP would treat it as an anonymous bind (RFC 4513 §5.1.2). */
const rejectEmptyPassword: Step<Facts, StepDeps> = {
  name: "reject-empty-password",
  run: ({ operation, password }) =>
    operation === "authenticate" && (password === undefined || password.isEmpty)
      ? { outcome: "fail", reason: "empty_password", memoryCache: "miss" }
      : undefined,
};

/** The order of the steps; a test asserts it. The first step that returns a decision ends the sequence. */
export const steps: readonly Step<Facts, StepDeps>[] = [
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
export const finalizers: readonly Finalizer<Facts, StepDeps>[] = [
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
export async function decide(attempt: Attempt, context: StepContext<Facts>, deps: StepDeps): Promise<AuthDecision> {
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
