import type { AuthDecision } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { lookUpInBackends } from "./backends/ask-backends.ts";
import { type BackendDeps, verifyInBackends } from "./backends/verify-in-backends.ts";
import {
  type BruteForceDep,
  checkBruteForce,
  countFailure,
  determineAccountDelay,
} from "./brute-force/brute-force-steps.ts";
import { type Controls, runControls } from "./controls/controls.ts";
import { refuseDomain, refuseMailPassword } from "./domains/refuse-domain.ts";
import { type TokenDeps, verifyToken } from "./mail-tokens/verify-token.ts";
import { type MasterUserDeps, verifyMasterUser } from "./master-user/master-users.ts";
import type { Attempt } from "./pipeline/attempt.ts";
import { denial, type Finalizer, type Step, type StepContext } from "./pipeline/step.ts";
import type { PolicyFacts } from "./policy/fact-readers.ts";
import { applyPolicies, type Policies } from "./policy/policies.ts";
import { keepSuccess } from "./result-cache/keep-success.ts";
import { type CachesDep, readMemoryCache, readSharedCache } from "./result-cache/read-caches.ts";
import { assessRisk } from "./risk/assess-risk.ts";
import type { RiskProtection } from "./risk/risk.ts";
import { runEnvironmentScripts, runSubjectScripts, type ScriptsDep } from "./scripts/script-steps.ts";
import { type AppPasswordDeps, verifyAppPassword } from "./second-factors/verify-app-password.ts";
import { refuseSuspended, type SuspensionsDep } from "./suspensions/refuse-suspended.ts";

/** What the steps of one decision found out. Policies may be about any of it. */
export type Facts = PolicyFacts;

/** What the steps need; absent if the feature is off. */
export type StepDeps = BackendDeps &
  BruteForceDep &
  CachesDep &
  ScriptsDep &
  TokenDeps &
  MasterUserDeps &
  AppPasswordDeps &
  SuspensionsDep & {
    readonly controls: Controls | undefined;
    readonly policies: Policies | undefined;
    /** Absent without brute-force protection, in whose round trip it reads. */
    readonly risk: RiskProtection | undefined;
    /** Whether a shadow compares what the steps decide. */
    readonly isShadowed?: boolean;
  };

/** Denies an empty password before any backend sees it: LDAP would treat it as an anonymous bind (RFC 4513 §5.1.2). */
const rejectEmptyPassword: Step<Facts, StepDeps> = {
  name: "reject-empty-password",
  run: ({ operation, password }) =>
    operation === "authenticate" && (password === undefined || password.isEmpty) ? denial("empty_password") : undefined,
};

/** The order of the steps; a test asserts it. The first step that returns a decision ends the sequence. */
export const steps: readonly Step<Facts, StepDeps>[] = [
  rejectEmptyPassword,
  checkBruteForce,
  refuseDomain,
  runControls,
  runEnvironmentScripts,
  verifyMasterUser,
  // Before the caches: sign-ins by token are never cached.
  verifyToken,
  refuseMailPassword,
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
  // Before the score, so that a verdict names what an operator did first.
  refuseSuspended,
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
  if (deps.isShadowed === true) context.facts.stepDecision = decision;
  for (const finalizer of finalizers) {
    const standing = finalizer.run(attempt, decision, context, deps);
    decision = standing instanceof Promise ? await standing : standing;
  }
  return decision;
}
