import type { Bus } from "@postern/shared/bus";
import { type AuthDecision, type AuthRequest, authenticate } from "@postern/shared/contracts";
import { AppError, type ErrorCode, errorCodes, fromUnknown } from "@postern/shared/errors";
import type { Clock } from "@postern/shared/time";
import type { EngineWatch } from "./engine-watch.ts";

export interface DecideDeps {
  readonly bus: Pick<Bus, "request">;
  readonly watch: Pick<EngineWatch, "admit" | "answered">;
  readonly clock: Clock;
  /** How long one decision may take, in milliseconds. */
  readonly timeoutMs: () => number;
  /** Told of everything that is no ordinary "could not decide". */
  readonly onError: (error: AppError, session: string) => void;
}

/** What a caller who is there for a known time says of it; the configured time bounds it too. */
export interface CallerPatience {
  /** Milliseconds of the epoch; Infinity for none. */
  readonly deadlineMs: number;
  /** Aborts when the caller has left. */
  readonly signal: AbortSignal;
}

export type Decide = (request: AuthRequest, patience?: CallerPatience) => Promise<AuthDecision>;

/** A request that tries out silent engines waits no longer than finding out that they are silent took. */
const trialTimeoutMs = 700;

/** What ends a request without a word of an engine; every other error is an engine's or NATS's answer. */
const unanswered: ReadonlySet<ErrorCode> = new Set([
  "DEADLINE_EXCEEDED",
  "ENGINE_SILENT",
  "REQUEST_ABORTED",
  "BUS_DISCONNECTED",
  "BUS_BACKLOG",
  "BUS_PAYLOAD",
]);

/**
 * Asks an engine. Whatever goes wrong on the way (no engine, no bus, no time, an error of the engine) is a temporary
 * failure: nobody could decide, so nobody may say no (design rule 3).
 */
export function createDecide({ bus, watch, clock, timeoutMs, onError }: DecideDeps): Decide {
  const ask = (request: AuthRequest, patience: CallerPatience | undefined): Promise<AuthDecision> => {
    const admitted = watch.admit();
    if (admitted === "refuse") return Promise.reject(new AppError("ENGINE_SILENT"));
    const withinMs = admitted === "trial" ? Math.min(trialTimeoutMs, timeoutMs()) : timeoutMs();
    const deadline = Math.min(clock.now() + withinMs, patience?.deadlineMs ?? Number.POSITIVE_INFINITY);
    return bus.request(authenticate, request, { deadline, signal: patience?.signal });
  };
  const decided = (decision: AuthDecision): AuthDecision => {
    watch.answered();
    return decision;
  };
  const undecided = (thrown: unknown, session: string): AuthDecision => {
    const error = fromUnknown(thrown);
    if (!unanswered.has(error.code)) watch.answered();
    onError(error, session);
    // A peer's complaint about our own message is our bug, not the caller's request.
    const message = error.row.kind === "caller" ? errorCodes.INTERNAL.publicMessage : error.publicMessage;
    return { outcome: "tempfail", code: error.code, message };
  };
  return (request, patience) => ask(request, patience).then(decided, (thrown) => undecided(thrown, request.session));
}
