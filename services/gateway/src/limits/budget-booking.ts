import type { Rate } from "./gcra.ts";

/** The result of taking a token from the bucket that all gateways share. */
export interface SharedTake {
  readonly granted: boolean;
  /** The bucket's debt afterwards. */
  readonly debtUs: number;
}

/** Rejects if Redis does not answer as expected. */
export type TakeShared = (addressKey: string, rate: Rate) => Promise<SharedTake>;

export interface BookingDeps {
  readonly take: TakeShared;
  /** Maximum time that a failure waits for Redis. */
  readonly timeoutMs: number;
  /** Time between two attempts while Redis is unavailable. */
  readonly retryMs: number;
  readonly onAway: (reason: unknown) => void;
  readonly onBack: () => void;
}

/** Undefined: Redis is unavailable, and the local bucket applies. */
export type BookingDone = (take: SharedTake | undefined) => void;

export interface Booking {
  readonly away: boolean;
  /** Calls `done` within the timeout; immediately while Redis is unavailable. */
  book(addressKey: string, rate: Rate, done: BookingDone): void;
}

/**
 * Takes tokens in Redis. While Redis is unavailable it is retried in the background, one attempt at a time, and no failure waits for it.
 */
export function createBooking({ take, timeoutMs, retryMs, onAway, onBack }: BookingDeps): Booking {
  let awayUntilMs: number | undefined;
  const leave = (reason: unknown): void => {
    if (awayUntilMs === undefined) onAway(reason);
    awayUntilMs = performance.now() + retryMs;
  };
  const comeBack = (): void => {
    if (awayUntilMs !== undefined) onBack();
    awayUntilMs = undefined;
  };
  const ask = (addressKey: string, rate: Rate, done: BookingDone): void => {
    let open = true;
    const end = (result: SharedTake | undefined, reason?: unknown): void => {
      if (!open) return;
      open = false;
      clearTimeout(timer);
      if (result === undefined) leave(reason);
      else comeBack();
      done(result);
    };
    const timer = setTimeout(() => end(undefined, new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    take(addressKey, rate).then(
      (result) => end(result),
      (reason: unknown) => end(undefined, reason),
    );
  };
  return {
    get away() {
      return awayUntilMs !== undefined;
    },
    book: (addressKey, rate, done) => {
      if (awayUntilMs === undefined) {
        ask(addressKey, rate, done);
        return;
      }
      if (performance.now() >= awayUntilMs) {
        awayUntilMs = performance.now() + retryMs;
        ask(addressKey, rate, () => undefined);
      }
      done(undefined);
    },
  };
}
