import type { ServerResponse } from "node:http";

/** Limits the concurrent authentication requests of a process. Requests above the limit are rejected, not queued. */
export class ConcurrencyGate {
  readonly #limit: number;
  readonly #onShed: () => void;
  #inside = 0;

  constructor(limit: number, onShed: () => void) {
    this.#limit = limit;
    this.#onShed = onShed;
  }

  get inside(): number {
    return this.#inside;
  }

  /** Takes a slot, to be released with `leave`; false if there is none. */
  enter(): boolean {
    if (this.#inside >= this.#limit) {
      this.#onShed();
      return false;
    }
    this.#inside += 1;
    return true;
  }

  leave(): void {
    this.#inside -= 1;
  }
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
export class BodyPlaces {
  /** In the order of their arrival. */
  readonly #bodies = new Set<CollectedBody>();
  readonly #limit: number;
  readonly #onShed: () => void;

  constructor(limit: number, onShed: () => void) {
    this.#limit = limit;
    this.#onShed = onShed;
  }

  /** Takes a place, to be released with `leave`; false if there is none. */
  enter(body: CollectedBody): boolean {
    if (this.#bodies.size >= this.#limit) {
      this.#onShed();
      const slowest = this.#bodies.values().find(({ isArriving }) => isArriving());
      if (slowest === undefined) return false;
      this.#bodies.delete(slowest);
      slowest.drop();
    }
    this.#bodies.add(body);
    return true;
  }

  leave(body: CollectedBody): void {
    this.#bodies.delete(body);
  }
}

interface Guess {
  readonly response: ServerResponse;
  /** Key of its failure budget. */
  readonly key: string;
  /** Number of tokens that the budget has left. */
  readonly tokens: number;
}

/**
 * Passwords that are being verified, by request and by address of the API caller. A wrong one takes its token when it is answered, so at
 * most as many are admitted concurrently as there are tokens.
 */
export class GuessesInFlight {
  readonly #slots = new Map<object, { readonly key: string; isForwarded: boolean }>();
  readonly #byKey = new Map<string, number>();
  readonly #longestMs: number;

  /** @param longestMs maximum duration of a service's answer; after it, the slot of a disconnected client is released in any case */
  constructor(longestMs: number) {
    this.#longestMs = longestMs;
  }

  get size(): number {
    return this.#slots.size;
  }

  /** Takes a slot; false if as many are in progress as there are tokens. */
  enter(request: object, { response, key, tokens }: Guess): boolean {
    const inFlight = this.#byKey.get(key) ?? 0;
    if (inFlight >= tokens) return false;
    this.#byKey.set(key, inFlight + 1);
    this.#slots.set(request, { key, isForwarded: false });
    response.once("close", () => this.#closed(request));
    return true;
  }

  /** The request was sent to the service: its slot is kept until the service answers, even if the client disconnects. */
  forwarded(request: object): void {
    const slot = this.#slots.get(request);
    if (slot !== undefined) slot.isForwarded = true;
  }

  /** Releases the slot, if the request has one. */
  leave(request: object): void {
    const slot = this.#slots.get(request);
    if (slot === undefined) return;
    this.#slots.delete(request);
    const others = (this.#byKey.get(slot.key) ?? 1) - 1;
    if (others > 0) this.#byKey.set(slot.key, others);
    else this.#byKey.delete(slot.key);
  }

  #closed(request: object): void {
    const isForwarded = this.#slots.get(request)?.isForwarded === true;
    if (isForwarded) setTimeout(() => this.leave(request), this.#longestMs).unref();
    else this.leave(request);
  }
}
