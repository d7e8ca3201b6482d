import type { ServerResponse } from "node:http";

/** Limits the concurrent authentication requests of a process. Requests above the limit are rejected, not queued. */
export function createConcurrencyGate(limit: number, onShed: () => void) {
  let inside = 0;
  return {
    inside: (): number => inside,
    /** Takes a slot, to be released with `leave`; false if there is none. */
    enter: (): boolean => {
      if (inside >= limit) {
        onShed();
        return false;
      }
      inside += 1;
      return true;
    },
    leave: (): void => {
      inside -= 1;
    },
  };
}

/** A compressed body of an unauthenticated caller that the gateway is collecting. */
interface CollectedBody {
  /** Whether its caller is still sending it. */
  readonly isArriving: () => boolean;
  /** Answers its caller in place of the operation. */
  readonly drop: () => void;
}

/**
 * Limits how many bodies are collected concurrently. When all places are taken, the body that has been arriving for longest loses its place.
 * Callers who send slowly therefore take no place from those who do not, however many addresses they have: a body of 64 KiB usually arrives
 * within one round trip.
 */
export function createBodyPlaces(limit: number, onShed: () => void) {
  // In the order of their arrival.
  const bodies = new Set<CollectedBody>();
  return {
    /** Takes a place, to be released with `leave`; false if there is none. */
    enter: (body: CollectedBody): boolean => {
      if (bodies.size >= limit) {
        onShed();
        const slowest = bodies.values().find(({ isArriving }) => isArriving());
        if (slowest === undefined) return false;
        bodies.delete(slowest);
        slowest.drop();
      }
      bodies.add(body);
      return true;
    },
    leave: (body: CollectedBody): void => void bodies.delete(body),
  };
}

interface Guess {
  readonly response: ServerResponse;
  /** Key of its failure budget. */
  readonly key: string;
  readonly tokens: number;
}

/**
 * Passwords that are being verified, by request and by address of the API caller. A wrong one takes its token when it is answered, so at
 * most as many are admitted concurrently as there are tokens.
 *
 * @param longestMs maximum duration of a service's answer; after it, the slot of a disconnected client is released in any case
 */
export function createGuessesInFlight(longestMs: number) {
  const slots = new Map<object, { readonly key: string; isForwarded: boolean }>();
  const byKey = new Map<string, number>();
  /** Releases the slot, if the request has one. */
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
    size: (): number => slots.size,
    /** Takes a slot; false if as many are in progress as there are tokens. */
    enter: (request: object, { response, key, tokens }: Guess): boolean => {
      const inFlight = byKey.get(key) ?? 0;
      if (inFlight >= tokens) return false;
      byKey.set(key, inFlight + 1);
      slots.set(request, { key, isForwarded: false });
      response.once("close", () => closed(request));
      return true;
    },
    /** The request was sent to the service: its slot is kept until the service answers, even if the client disconnects. */
    forwarded: (request: object): void => {
      const slot = slots.get(request);
      if (slot !== undefined) slot.isForwarded = true;
    },
    leave,
  };
}
