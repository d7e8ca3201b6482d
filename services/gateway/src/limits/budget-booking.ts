import { within } from "@postern/shared/platform/concurrency";
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

export interface Booking {
  readonly away: boolean;
  /** Settles within the timeout, and without waiting while Redis is unavailable: undefined, and the local bucket applies. */
  book(addressKey: string, rate: Rate): Promise<SharedTake | undefined>;
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
  const attempt = async (addressKey: string, rate: Rate): Promise<SharedTake | undefined> => {
    try {
      const result = await within(take(addressKey, rate), timeoutMs);
      comeBack();
      return result;
    } catch (reason) {
      leave(reason);
      return undefined;
    }
  };
  return {
    get away() {
      return awayUntilMs !== undefined;
    },
    book: async (addressKey, rate) => {
      if (awayUntilMs === undefined) return attempt(addressKey, rate);
      if (performance.now() >= awayUntilMs) {
        awayUntilMs = performance.now() + retryMs;
        void attempt(addressKey, rate);
      }
      return undefined;
    },
  };
}
