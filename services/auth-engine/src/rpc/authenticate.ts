import type { AuthDecision, AuthRequest } from "@postern/shared/contracts";
import type { CallerDeadline } from "@postern/shared/platform/concurrency";
import { type AppError, fromUnknown } from "@postern/shared/platform/errors";
import { type Attempt, attemptOf } from "../decision/attempt.ts";
import type { CallContext } from "../decision/call-context.ts";
import type { Facts } from "../facts/facts.ts";
import { withRisk } from "../facts/risk.ts";
import { type AuthWaitSettings, withAuthWait } from "../pipeline/auth-wait.ts";
import { decide } from "../pipeline/pipeline.ts";
import type { StepContext, StepDeps } from "../pipeline/step.ts";

/**
 * The context that the steps of one decision share. It is a class because V8 gives every object literal with a getter
 * its own hidden class, which keeps the whole request alive until the next full collection (docs/contributing/performance.md).
 */
class DecisionContext implements StepContext {
  readonly deadline: number;
  readonly watch: StepContext["watch"];
  readonly facts: Facts = {};
  readonly #call: CallerDeadline;

  constructor(call: CallerDeadline) {
    this.deadline = call.deadline;
    this.watch = call.watch;
    this.#call = call;
  }

  /** Created on first access; most decisions never need one. */
  get signal(): AbortSignal {
    return this.#call.signal;
  }
}

/**
 * Adds the account delay (`holdMs`) to a success or a `fail`, whichever step or finalizer decided it. The service that
 * answers the client waits this long.
 */
function withAccountDelay(decision: AuthDecision, { bruteForce }: Facts): AuthDecision {
  const holdMs = bruteForce?.accountDelayMs ?? 0;
  return holdMs > 0 && (decision.outcome === "ok" || decision.outcome === "fail") ? { ...decision, holdMs } : decision;
}

export interface AuthenticateDeps {
  /** Dependencies of the steps; a reload replaces them. */
  readonly stepDeps: () => StepDeps;
  readonly authWait: () => AuthWaitSettings;
  readonly observe: (request: AuthRequest, decision: AuthDecision, seconds: number) => void;
  readonly onUndecided: (request: AuthRequest, error: AppError) => void;
  /** Called after the decision was sent; nothing it does delays the answer. */
  readonly afterAnswer: (attempt: Attempt, decision: AuthDecision, facts: Facts) => void;
}

export type Authenticate = (request: AuthRequest, context: CallContext) => Promise<AuthDecision>;

/**
 * The bus method `auth-engine.authenticate`: runs one request through the pipeline. A temporary failure is an answer
 * too.
 */
export function createAuthenticate({
  stepDeps,
  authWait,
  observe,
  onUndecided,
  afterAnswer,
}: AuthenticateDeps): Authenticate {
  const undecided = (request: AuthRequest, thrown: unknown): AuthDecision => {
    const error = fromUnknown(thrown);
    onUndecided(request, error);
    return { outcome: "tempfail", code: error.code, message: error.publicMessage };
  };
  return async (request, context) => {
    const started = performance.now();
    const deps = stepDeps();
    const attempt = attemptOf(request, deps.masterUsers, context);
    const decided = new DecisionContext(context);
    let decision: AuthDecision;
    try {
      decision = withRisk(withAccountDelay(await decide(attempt, decided, deps), decided.facts), decided.facts.risk);
    } catch (thrown) {
      decision = undecided(request, thrown);
    }
    observe(request, decision, (performance.now() - started) / 1000);
    setImmediate(afterAnswer, attempt, decision, decided.facts);
    return withAuthWait(decision, request.loginAttempt, authWait());
  };
}
