import type { Bus } from "@postern/shared/bus";
import { type AuthDecision, type AuthRequest, authenticate } from "@postern/shared/contracts";
import { type AppError, errorCodes, fromUnknown } from "@postern/shared/errors";
import type { Clock } from "@postern/shared/time";

export interface DecideDeps {
  readonly bus: Pick<Bus, "request">;
  readonly clock: Clock;
  /** How long one decision may take, in milliseconds. */
  readonly timeoutMs: () => number;
  /** Told of everything that is no ordinary "could not decide". */
  readonly onError: (error: AppError, session: string) => void;
}

export type Decide = (request: AuthRequest) => Promise<AuthDecision>;

/**
 * Asks an engine. Whatever goes wrong on the way (no engine, no bus, no time, an error of the engine) is a temporary
 * failure: nobody could decide, so nobody may say no (design rule 3).
 */
export function createDecide({ bus, clock, timeoutMs, onError }: DecideDeps): Decide {
  return async (request) => {
    try {
      return await bus.request(authenticate, request, { deadline: clock.now() + timeoutMs() });
    } catch (thrown) {
      const error = fromUnknown(thrown);
      onError(error, request.session);
      // A peer's complaint about our own message is our bug, not the caller's request.
      const message = error.row.kind === "caller" ? errorCodes.INTERNAL.publicMessage : error.publicMessage;
      return { outcome: "tempfail", code: error.code, message };
    }
  };
}
