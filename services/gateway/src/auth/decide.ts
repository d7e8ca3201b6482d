import { type AuthDecision, type AuthRequest, authenticate } from "@postern/shared/contracts";
import { enginesAnswered, trialTimeoutMs } from "@postern/shared/domain/engine-watch";
import { AppError, errorCodes, fromUnknown, logFields } from "@postern/shared/platform/errors";
import { steadyClock } from "@postern/shared/platform/time";
import type { Foundation } from "../foundation.ts";

/** How long a caller with its own deadline waits; the configured timeout also applies. */
export interface CallerPatience {
  /** A time of `steadyClock`; Infinity for none. */
  readonly deadlineMs: number;
  /** Aborts when the caller has disconnected. */
  readonly signal: AbortSignal;
}

/**
 * Requests a decision from an engine. Any problem on the way (no engine, no bus, no time, an error of the engine) becomes a temporary
 * failure, because no decision was made (ADR 0013).
 */
export function createDecide({ bus, engineWatch: watch, live, logger }: Foundation) {
  const deadlineOf = (patience: CallerPatience | undefined): number => {
    const { decisionTimeoutMs: timeoutMs } = live.current;
    const admitted = watch.admit();
    if (admitted === "refuse") throw new AppError("ENGINE_SILENT");
    const withinMs = admitted === "trial" ? Math.min(trialTimeoutMs, timeoutMs) : timeoutMs;
    return Math.min(steadyClock.now() + withinMs, patience?.deadlineMs ?? Number.POSITIVE_INFINITY);
  };
  const undecided = (thrown: unknown, session: string): AuthDecision => {
    const error = fromUnknown(thrown);
    if (enginesAnswered(error.code)) watch.answered(error.code);
    logger[error.row.logLevel]({ session, ...logFields(error) }, "no decision");
    // If the peer rejects our own message, the bug is ours and not in the caller's request.
    const message = error.row.kind === "caller" ? errorCodes.INTERNAL.publicMessage : error.publicMessage;
    return { outcome: "tempfail", code: error.code, message };
  };
  return async (request: AuthRequest, patience?: CallerPatience): Promise<AuthDecision> => {
    try {
      const deadline = deadlineOf(patience);
      const decision = await bus.request(authenticate, request, { deadline, signal: patience?.signal });
      watch.answered();
      return decision;
    } catch (thrown) {
      return undecided(thrown, request.session);
    }
  };
}
