import type { ServerResponse } from "node:http";

/** The delay of a caller's rejection, in milliseconds. */
export const rejectionDelayMs = 300;

/**
 * Each delayed answer costs a socket and a timer. Above this number answers are sent without delay and their connections closed, so that a
 * flood of wrong credentials cannot hold more than this.
 */
const maxWaiting = 1024;

export interface RejectionDelay {
  /** Calls `answer` after 300 ms, or never if the client has disconnected by then. */
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
