import type { AuthDecision, AuthRequest } from "@postern/shared/contracts";
import type { CallerDeadline } from "@postern/shared/platform/concurrency";
import { fromUnknown, logFields } from "@postern/shared/platform/errors";
import { systemClock } from "@postern/shared/platform/time";
import { createAccountShares } from "./backends/verify-in-backends.ts";
import type { EngineContext } from "./context.ts";
import { placeAttempt, withDomain } from "./domains/place-attempt.ts";
import { noteOf } from "./history/note-of.ts";
import { type Attempt, attemptOf, type CallContext } from "./pipeline/attempt.ts";
import { withAuthWait } from "./pipeline/auth-wait.ts";
import { type StepContext, withRisk } from "./pipeline/step.ts";
import { decide, type Facts, type StepDeps } from "./pipeline.ts";

/**
 * The context that the steps of one decision share. It is a class because V8 gives every object literal with a getter
 * its own hidden class, which keeps the whole request alive until the next full collection (docs/contributing/performance.md).
 */
class DecisionContext implements StepContext<Facts> {
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

/** What the steps of one decision use; a reload between two decisions changes it. */
function stepDepsMaker(context: EngineContext): () => StepDeps {
  const { engineMetrics: metrics, rules, backendsByName, mailTokens, bruteForce, risk, resultCache, scripts } = context;
  const { appPasswordUses, suspensions, shadow, decoyDigest } = context;
  const accountShares = createAccountShares(decoyDigest);
  return () => ({
    ...rules.current,
    backends: backendsByName,
    accountShares,
    checkMailToken: mailTokens?.check,
    resultCaches: resultCache.caches,
    bruteForce: bruteForce?.current,
    risk,
    suspensions,
    scripts: scripts.siteScripts,
    appPasswordUses,
    appPasswordChecked: metrics.appPasswordChecked,
    isShadowed: shadow.current !== undefined,
  });
}

/**
 * The bus method `auth-engine.authenticate`: runs one request through the pipeline. A temporary failure is an answer
 * too.
 */
export function createAuthenticate(engine: EngineContext) {
  const {
    logger,
    tracer,
    engineMetrics: metrics,
    live,
    domains,
    risk,
    history,
    rollups,
    scripts,
    watches,
    shadow,
  } = engine;
  const { origins, domainCounts } = engine;
  const stepDeps = stepDepsMaker(engine);
  const undecided = ({ session, protocol, dialect }: AuthRequest, thrown: unknown): AuthDecision => {
    const error = fromUnknown(thrown);
    logger[error.row.logLevel]({ session, protocol, dialect, ...logFields(error) }, "could not decide");
    return { outcome: "tempfail", code: error.code, message: error.publicMessage };
  };
  /** Runs once the decision was sent; nothing it does delays the answer. */
  const afterAnswer = (attempt: Attempt, decision: AuthDecision, facts: Facts): void => {
    scripts.siteScripts.afterAnswer(attempt, decision);
    risk?.rememberDecision(attempt, decision, facts);
    shadow.current?.offer(attempt, decision, facts);
    if (attempt.operation !== "authenticate") return;
    origins?.decided(attempt, decision);
    domainCounts.decided(attempt, decision, facts);
    if (history === undefined && !watches.isWatched) return;
    const note = noteOf(attempt, decision, facts, systemClock.now());
    history?.note(note);
    if (watches.isWatched) watches.note(note);
  };
  return async (request: AuthRequest, context: CallContext): Promise<AuthDecision> => {
    const started = performance.now();
    const deps = stepDeps();
    let attempt = attemptOf(request, deps.masterUsers, context);
    const decided = new DecisionContext(context);
    let decision: AuthDecision;
    try {
      const placed = placeAttempt(attempt, domains.current);
      attempt = placed instanceof Promise ? await placed : placed;
      decision = withRisk(withAccountDelay(await decide(attempt, decided, deps), decided.facts), decided.facts.risk);
    } catch (thrown) {
      decision = undecided(request, thrown);
    }
    const tookMs = performance.now() - started;
    metrics.decided(request.operation, decision.outcome, tookMs / 1000);
    if (request.operation === "authenticate") rollups.decided(decision, decided.facts, attempt.protocol, tookMs);
    if (tracer !== undefined) tracer.active()?.set({ "postern.outcome": decision.outcome });
    setImmediate(afterAnswer, attempt, decision, decided.facts);
    return withAuthWait(withDomain(decision, attempt.domain), request.loginAttempt, live.current.authWait);
  };
}
