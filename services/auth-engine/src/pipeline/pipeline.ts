import type { AuthDecision, Ok } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import type { ControlContext, ControlFacts } from "../controls/controls.ts";
import type { Attempt } from "../decision/attempt.ts";
import type { CachedResult } from "../result-cache/cached-result.ts";
import type { CacheState, ResultCaches } from "../result-cache/result-caches.ts";
import type { EnvironmentVerdict } from "../scripts/site-scripts.ts";
import { assessRisk } from "./finalizers/assess-risk.ts";
import { countFailure } from "./finalizers/count-failure.ts";
import { keepSuccess } from "./finalizers/keep-success.ts";
import { runSubjectScripts } from "./finalizers/run-subject-scripts.ts";
import type { Finalizer, Step, StepContext, StepDeps } from "./step.ts";
import { checkBruteForce } from "./steps/check-brute-force.ts";
import { lookUpInBackends } from "./steps/look-up-in-backends.ts";
import { noteAccount } from "./steps/note-account.ts";
import { verifyAppPassword } from "./steps/verify-app-password.ts";
import { verifyInBackends } from "./steps/verify-in-backends.ts";
import { verifyMasterUser } from "./steps/verify-master-user.ts";
import { verifyToken } from "./steps/verify-token.ts";

/** Denies an empty password before any backend sees it: LDAP would treat it as an anonymous bind (RFC 4513 §5.1.2). */
const rejectEmptyPassword: Step = {
  name: "reject-empty-password",
  run: ({ operation, password }) =>
    operation === "authenticate" && (password === undefined || password.isEmpty)
      ? { outcome: "fail", reason: "empty_password", memoryCache: "miss" }
      : undefined,
};

/** It is a class because V8 gives every object literal with a getter its own hidden class (docs/contributing/performance.md). */
class ControlsContext implements ControlContext {
  readonly facts: ControlFacts = {};
  readonly #step: StepContext;

  constructor(step: StepContext) {
    this.#step = step;
  }

  get signal(): AbortSignal {
    return this.#step.signal;
  }
}

/** Runs the controls in their fixed order, for sign-ins only. The first that rejects ends the decision. */
const runControls: Step = {
  name: "run-controls",
  run: (attempt, context, { controls }) => {
    if (controls === undefined || attempt.operation !== "authenticate") return undefined;
    const controlsContext = new ControlsContext(context);
    context.facts.controls = controlsContext.facts;
    return controls.run(attempt, controlsContext);
  },
};

function denialOf(verdicts: readonly EnvironmentVerdict[]): AuthDecision | undefined {
  const denied = verdicts.find(({ deny }) => deny === true);
  if (denied === undefined) return undefined;
  const { message } = denied;
  return { outcome: "fail", reason: "script", memoryCache: "miss", ...(message === undefined ? {} : { message }) };
}

/**
 * Runs the site's environment scripts before any cache or backend. Each may deny. Lookups skip them, as they skip all
 * controls.
 */
const runEnvironmentScripts: Step = {
  name: "run-environment-scripts",
  run: (attempt, { deadline }, { scripts }) =>
    attempt.operation === "authenticate" && scripts.has("environment")
      ? scripts.environment(attempt, deadline).then(denialOf)
      : undefined,
};

interface Hit {
  readonly found: CachedResult;
  readonly cache: CacheState;
}

/**
 * Turns a cache hit into a decision and sets the facts about its backend. It is a miss if that backend is no longer in
 * use, because policies could not query it.
 */
function cachedAnswer(
  { found, cache }: Hit,
  attempt: Attempt,
  context: StepContext,
  { backends }: StepDeps,
): Ok | undefined {
  const backend = backends.find(({ name }) => name === found.backendName);
  if (backend === undefined) {
    delete cache.servedFrom;
    return undefined;
  }
  noteAccount(backend, found.decision.groups, attempt, context);
  // Tokens and app passwords are never cached.
  if (attempt.operation === "authenticate") context.facts.credential = "password";
  return found.decision;
}

/** A recent success from this process's memory decides. Anything that does not match is a miss, never a denial. */
const readMemoryCache: Step = {
  name: "read-memory-cache",
  run: (attempt, context, deps) => {
    const { resultCaches } = deps;
    const cache = resultCaches?.begin(attempt);
    if (resultCaches === undefined || cache === undefined) return undefined;
    context.facts.cache = cache;
    const found = resultCaches.readMemory(attempt, cache);
    return found === undefined ? undefined : cachedAnswer({ found, cache }, attempt, context, deps);
  },
};

async function answerOfSharedCache(
  attempt: Attempt,
  { resultCaches, cache }: { readonly resultCaches: ResultCaches; readonly cache: CacheState },
  context: StepContext,
  deps: StepDeps,
): Promise<Ok | undefined> {
  const found = await resultCaches.readShared(attempt, cache);
  return found === undefined ? undefined : cachedAnswer({ found, cache }, attempt, context, deps);
}

/** A recent success or lookup of any engine, from Redis, decides. A slow or unavailable Redis is a miss. */
const readSharedCache: Step = {
  name: "read-shared-cache",
  run: (attempt, context, deps) => {
    const { resultCaches } = deps;
    const { cache } = context.facts;
    return resultCaches === undefined || cache === undefined
      ? undefined
      : answerOfSharedCache(attempt, { resultCaches, cache }, context, deps);
  },
};

/**
 * Determines the account delay of a success: for an account whose password is being guessed, from a network that it does not
 * know. (For a failure, counting it has determined the delay.) Runs before the success is recorded, which makes the
 * network a known one.
 */
const determineAccountDelay: Finalizer = {
  name: "determine-account-delay",
  run: (attempt, decision, { facts }, { bruteForce }) => {
    const found = facts.bruteForce;
    if (bruteForce === undefined || found === undefined || decision.outcome !== "ok") return decision;
    // App passwords and tokens cannot be guessed.
    if (facts.credential === "app_password" || facts.credential === "token") return decision;
    const account = attempt.masterLogin === undefined ? decision.account : attempt.username;
    return bruteForce.determineDelay(account, found).then(() => decision);
  },
};

/** Applies the site's policies last, whether the decision came from a backend or from a cache. */
const applyPolicies: Finalizer = {
  name: "apply-policies",
  run: (attempt, decision, { facts }, { policies }) =>
    policies === undefined ? decision : policies.apply({ attempt, decision, facts }),
};

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
