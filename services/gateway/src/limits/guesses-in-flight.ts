import type { ServerResponse } from "node:http";

export interface Guess {
  /** The request; identifies the guess. */
  readonly request: object;
  readonly response: ServerResponse;
  /** Key of its failure budget. */
  readonly key: string;
  /** Number of tokens that the budget has left. */
  readonly tokens: number;
}

/**
 * Passwords that are being verified, by address of the API caller. A wrong one takes its token when it is answered, so at most as many are
 * admitted concurrently as there are tokens.
 */
export interface GuessesInFlight {
  /** Takes a slot; false if as many are in progress as there are tokens. */
  enter(guess: Guess): boolean;
  /**
   * The request was sent to the owner of the path: its slot is kept until the owner answers, even if the client disconnects.
   */
  forwarded(request: object): void;
  /** Releases the slot, if the request has one. */
  leave(request: object): void;
  readonly size: number;
}

interface Slot {
  readonly key: string;
  isForwarded: boolean;
}

/**
 * @param longestMs maximum duration of an owner's answer; after it, the slot of a disconnected client is released in any case
 */
export function createGuessesInFlight(longestMs: number): GuessesInFlight {
  const slots = new Map<object, Slot>();
  const byKey = new Map<string, number>();
  const leave = (request: object): void => {
    const slot = slots.get(request);
    if (slot === undefined) return;
    slots.delete(request);
    const others = (byKey.get(slot.key) ?? 1) - 1;
    if (others > 0) byKey.set(slot.key, others);
    else byKey.delete(slot.key);
  };
  const closed = (request: object): void => {
    if (slots.get(request)?.isForwarded === true) setTimeout(leave, longestMs, request).unref();
    else leave(request);
  };
  return {
    enter: ({ request, response, key, tokens }) => {
      const inFlight = byKey.get(key) ?? 0;
      if (inFlight >= tokens) return false;
      byKey.set(key, inFlight + 1);
      slots.set(request, { key, isForwarded: false });
      response.once("close", () => closed(request));
      return true;
    },
    forwarded: (request) => {
      const slot = slots.get(request);
      if (slot !== undefined) slot.isForwarded = true;
    },
    leave,
    get size() {
      return slots.size;
    },
  };
}
