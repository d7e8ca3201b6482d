import type { AppError } from "../errors/app-error.ts";
import { notListed, type Timed } from "./deadlines.ts";
import type { Frame } from "./frames.ts";

/** The two ends of a promise, without its type: one table holds the requests of all methods. */
export interface Settler {
  resolve(value: unknown): void;
  reject(reason: AppError): void;
}

/** Told when a request gives up by itself. */
export interface PendingRequestOwner {
  onExpired(request: PendingRequest): void;
  onAborted(request: PendingRequest): void;
}

export interface PendingRequestInit {
  readonly body: Uint8Array;
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
  readonly decode: (body: Buffer) => unknown;
}

/**
 * A request from its call to its one answer. It is its own frame, its own entry of the deadline wheel and its own
 * abort listener, so that a request costs one object.
 */
export class PendingRequest implements Frame, Timed {
  /** A u32 given when its batch leaves; the ids of a batch are consecutive. */
  id = -1;
  readonly isError = false;
  readonly body: Uint8Array;
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
  readonly decode: (body: Buffer) => unknown;
  readonly settler: Settler;
  settled = false;

  expiresAtMs = 0;
  slot = notListed;
  previous: Timed | undefined = undefined;
  next: Timed | undefined = undefined;

  readonly #owner: PendingRequestOwner;

  constructor(init: PendingRequestInit, settler: Settler, owner: PendingRequestOwner) {
    this.body = init.body;
    this.deadlineMs = init.deadlineMs;
    this.signal = init.signal;
    this.decode = init.decode;
    this.settler = settler;
    this.#owner = owner;
    this.signal?.addEventListener("abort", this);
  }

  expire(): void {
    this.#owner.onExpired(this);
  }

  handleEvent(): void {
    this.#owner.onAborted(this);
  }

  /** No listener of ours stays on a signal that outlives the request. */
  release(): void {
    this.signal?.removeEventListener("abort", this);
  }
}
