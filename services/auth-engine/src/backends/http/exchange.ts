import type { Readable } from "node:stream";
import { AppError } from "@postern/shared/platform/errors";
import type { BackendContext, BackendQuery } from "../backend.ts";
import type { RemoteMode } from "./request.ts";

/**
 * Why a server made no decision; label values of a metric. `caller_refused`: it does not accept this site's credentials. `request_refused`: it
 * does not accept the request. `rate_limited`: 429. `failed`: its own temporary failure. `busy`: 502, 503 or 504. `malformed`: the answer
 * contradicts itself or the interface. `oversized`: it is longer than the limit. `loop`: too many engines have passed the request on.
 */
export const remoteFaults = [
  "caller_refused",
  "request_refused",
  "rate_limited",
  "failed",
  "busy",
  "malformed",
  "oversized",
  "timeout",
  "unreachable",
  "loop",
] as const;
export type RemoteFaultKind = (typeof remoteFaults)[number];

/** The other server made no decision, which says nothing about the user. The message is for logs and contains nothing secret. */
export class RemoteFault extends Error {
  override readonly name = "RemoteFault";
  readonly kind: RemoteFaultKind;

  constructor(kind: RemoteFaultKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

export const malformed = (what: string): RemoteFault => new RemoteFault("malformed", what);

/** A response as it was received. Names of headers are in lower case. */
export interface ReceivedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/** A response whose body has not been read. */
export type OpenAnswer = Pick<ReceivedAnswer, "status" | "headers"> & {
  readonly body: AsyncIterable<Buffer> & Pick<Readable, "on">;
  /** Leaves the body unread, so that its connection can be used for another request. */
  readonly discard: () => Promise<void>;
};

/** What is sent, apart from the credentials. */
export interface RemoteRequest {
  readonly mode: RemoteMode | undefined;
  readonly request: BackendQuery["request"];
  readonly headers: Readonly<Record<string, string>>;
  /** In the spelling of the interface. */
  readonly fields: Readonly<Record<string, string | number>>;
}

/** How one request is sent. */
export interface Sending {
  readonly authorization: string | undefined;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** How long its answer is awaited. */
  readonly timeMs: number;
}

/** The connections to one server. An answer over gRPC is written as one over HTTP, so that both are read by the same rules. */
export interface Transport {
  /** Rejects without an answer. */
  post(request: RemoteRequest, sending: Sending): Promise<OpenAnswer>;
  close(): Promise<void>;
}

const kindOfCode: Readonly<Record<string, RemoteFaultKind>> = {
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  UND_ERR_HEADERS_OVERFLOW: "oversized",
};

/** Reads a body of limited length. */
export async function readBody(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
  tooLong = `the answer is longer than ${maxBytes} bytes`,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.length;
    // Leaving the loop closes the connection, so that the rest is not received.
    if (length > maxBytes) throw new RemoteFault("oversized", tooLong);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** What an error of the connection means. */
export function toFault(error: unknown): RemoteFault | AppError {
  if (error instanceof RemoteFault || error instanceof AppError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const text = error instanceof Error ? error.message : String(error);
  return new RemoteFault(kindOfCode[code] ?? "unreachable", text, { cause: error });
}

/** Stops waiting when the signal aborts. All requests share one token, so its own request goes on. @throws the reason of the signal */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** Calls `work` with a signal that aborts after `timeMs`, or when the caller no longer waits. */
export async function inTime<T>(
  context: BackendContext,
  timeMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const late = (): void => abort.abort(new RemoteFault("timeout", `no answer within ${Math.ceil(timeMs)} ms`));
  const left = (): void => abort.abort(new AppError("REQUEST_ABORTED", { detail: "the caller disconnected" }));
  const timer = setTimeout(late, timeMs);
  // With a watch, the caller leaves at the deadline only, which is not before the timer.
  const signal = context.watch === undefined ? context.signal : undefined;
  signal?.addEventListener("abort", left);
  if (signal?.aborted === true) left();
  try {
    return await work(abort.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", left);
  }
}
