import type { AuthDecision, AuthRequest } from "@postern/shared/contracts";
import { type AppError, fromUnknown } from "@postern/shared/errors";
import { type Attempt, attemptOf } from "../pipeline/attempt.ts";
import { type AuthWaitSettings, withAuthWait } from "../pipeline/auth-wait.ts";
import { DecisionContext } from "../pipeline/decision-context.ts";
import { decide } from "../pipeline/pipeline.ts";
import type { StepDeps } from "../pipeline/step.ts";
import type { CallContext } from "./call-context.ts";

export interface AuthenticateDeps {
  /** What the steps use now; a reload swaps it. */
  readonly stepDeps: () => StepDeps;
  readonly authWait: () => AuthWaitSettings;
  readonly observe: (request: AuthRequest, decision: AuthDecision, seconds: number) => void;
  readonly onUndecided: (request: AuthRequest, error: AppError) => void;
  /** Told once the decision is on its way; nothing that it does delays the answer. */
  readonly afterAnswer: (attempt: Attempt, decision: AuthDecision) => void;
}

export type Authenticate = (request: AuthRequest, context: CallContext) => Promise<AuthDecision>;

/** The bus method `auth-engine.authenticate`: one request through the pipeline; "could not decide" is an answer too. */
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
    const attempt = attemptOf(request, deps.masterUsers);
    let decision: AuthDecision;
    try {
      decision = await decide(attempt, new DecisionContext(context), deps);
    } catch (thrown) {
      decision = undecided(request, thrown);
    }
    observe(request, decision, (performance.now() - started) / 1000);
    setImmediate(afterAnswer, attempt, decision);
    return withAuthWait(decision, request.loginAttempt, authWait());
  };
}
