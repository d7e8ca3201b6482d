import type { ServerResponse } from "node:http";

/** Contract, "Limits": caller rejection delay. */
export const rejectionDelayMs = 300;

/**
 * Answers that wait cost a socket and a timer each. Above this number the next one leaves at once and its connection is
 * closed, so that a flood of wrong credentials holds no more than this.
 */
const maxWaiting = 1024;

export interface RejectionDelay {
  /** Calls `answer` after 300 ms, or never when the client is gone by then. */
  later(response: ServerResponse, answer: (closing: boolean) => void): void;
  readonly waiting: number;
}

export function createRejectionDelay(limit = maxWaiting): RejectionDelay {
  let waiting = 0;
  return {
    later: (response, answer) => {
      if (waiting >= limit) {
        answer(true);
        return;
      }
      waiting += 1;
      const timer = setTimeout(() => {
        response.removeListener("close", leave);
        waiting -= 1;
        answer(false);
      }, rejectionDelayMs);
      const leave = (): void => {
        clearTimeout(timer);
        waiting -= 1;
      };
      response.once("close", leave);
    },
    get waiting() {
      return waiting;
    },
  };
}
