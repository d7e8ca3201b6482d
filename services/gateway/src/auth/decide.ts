import { type AuthDecision, type AuthRequest, authenticate } from "@postern/shared/contracts";
import { type EngineWatch, enginesAnswered, trialTimeoutMs } from "@postern/shared/domain/engine-watch";
import type { Bus } from "@postern/shared/platform/bus";
import { AppError, errorCodes, fromUnknown } from "@postern/shared/platform/errors";
import type { Clock } from "@postern/shared/platform/time";

interface DecideDeps {
  readonly bus: Pick<Bus, "request">;
  readonly watch: Pick<EngineWatch, "admit" | "answered">;
  readonly clock: Clock;
  /** Time limit of one decision, in milliseconds. */
  readonly timeoutMs: () => number;
  /** Called for every error other than an ordinary temporary failure. */
  readonly onError: (error: AppError, session: string) => void;
}

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
export function createDecide({ bus, watch, clock, timeoutMs, onError }: DecideDeps) {
  const deadlineOf = (patience: CallerPatience | undefined): number => {
    const admitted = watch.admit();
    if (admitted === "refuse") throw new AppError("ENGINE_SILENT");
    const withinMs = admitted === "trial" ? Math.min(trialTimeoutMs, timeoutMs()) : timeoutMs();
    return Math.min(clock.now() + withinMs, patience?.deadlineMs ?? Number.POSITIVE_INFINITY);
  };
  const undecided = (thrown: unknown, session: string): AuthDecision => {
    const error = fromUnknown(thrown);
    if (enginesAnswered(error.code)) watch.answered(error.code);
    onError(error, session);
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

export type Decide = ReturnType<typeof createDecide>;
