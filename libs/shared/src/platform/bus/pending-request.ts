import { notListed, type Timed } from "../concurrency/deadlines.ts";
import type { AppError } from "../errors/app-error.ts";
import type { Span } from "../tracing/tracer.ts";
import type { Frame } from "./frames.ts";
import type { Replica } from "./replicas.ts";
import type { Route } from "./route.ts";

/** The two callbacks of a promise, untyped, because one table holds the requests of all methods. */
export interface Settler {
  resolve(value: unknown): void;
  reject(reason: AppError): void;
}

/** Called when a request ends before it is answered. */
type EndRequest = (request: PendingRequest, code: "DEADLINE_EXCEEDED" | "REQUEST_ABORTED") => void;

export interface PendingRequestInit {
  readonly route: Route;
  readonly body: Uint8Array;
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
  readonly decode: (body: Buffer) => unknown;
  /** Absent if the request is not traced. */
  readonly span: Span | undefined;
}

/**
 * A request from the call to its single answer. It is its own frame, deadline entry and abort listener, so that a request costs one object.
 */
export class PendingRequest implements Frame, Timed {
  /** A u32 that is assigned when the batch is sent; the ids of a batch are consecutive. */
  id = -1;
  readonly isError = false;
  readonly body: Uint8Array;
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
  readonly decode: (body: Buffer) => unknown;
  readonly settler: Settler;
  readonly span: Span | undefined;
  settled = false;
  readonly route: Route;
  /** The replica to whose own subject it was sent; undefined if the queue group received it. */
  replica: Replica | undefined = undefined;
  /** When it was last sent, by the clock of this host. */
  sentAtMs = 0;
  /** How often it was sent again. */
  repeats = 0;
  /** How often that was because a replica was silent. */
  silences = 0;
  /** Whether a connection was lost after it had been sent, so that the request or its reply may be lost. */
  isLost = false;
  /** Whether it waits for a replica, because none was there to receive it. */
  isUnsent = false;

  expiresAtMs = 0;
  slot = notListed;
  previous: Timed | undefined = undefined;
  next: Timed | undefined = undefined;

  readonly #end: EndRequest;

  constructor(init: PendingRequestInit, settler: Settler, end: EndRequest) {
    this.route = init.route;
    this.body = init.body;
    this.deadlineMs = init.deadlineMs;
    this.signal = init.signal;
    this.decode = init.decode;
    this.span = init.span;
    this.settler = settler;
    this.#end = end;
    this.signal?.addEventListener("abort", this);
  }

  expire(): void {
    this.#end(this, "DEADLINE_EXCEEDED");
  }

  handleEvent(): void {
    this.#end(this, "REQUEST_ABORTED");
  }

  /** Removes our listener, because a signal may outlive the request. */
  release(): void {
    this.signal?.removeEventListener("abort", this);
  }
}
