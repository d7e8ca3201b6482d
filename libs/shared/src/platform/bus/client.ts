import { setTimeout as delay } from "node:timers/promises";
import type { Msg } from "@nats-io/transport-node";
import type { Deadlines } from "../concurrency/deadlines.ts";
import { AppError } from "../errors/app-error.ts";
import type { ErrorCode } from "../errors/codes.ts";
import type { Span, Tracer } from "../tracing/tracer.ts";
import type { CallSystem } from "./calls.ts";
import { type Codec, decodeError } from "./codec.ts";
import { decodeFrames, type FrameView, frameHeaderBytes, messageBytes } from "./frames.ts";
import { batchesSubject, parseReplySubject, repliesSubject } from "./inbox.ts";
import type { LocalEndpoint } from "./local-bus.ts";
import type { PendingRequest } from "./pending-request.ts";
import { createPendingTable, type PendingTable } from "./pending-table.ts";
import { createRequestSender, type RequestSenderDeps } from "./request-sender.ts";
import type { Route } from "./route.ts";

export interface RequestOptions {
  /** Time of `steadyClock`. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
}

interface ClientDeps extends RequestSenderDeps {
  readonly deadlines: Deadlines;
  readonly codec: Codec;
  readonly maxOutstanding: number;
}

/** No frame is made of a request that stays in this process. */
const noBytes = Buffer.alloc(0);

interface Submission<T> {
  readonly route: Route;
  readonly body: Uint8Array;
  readonly decode: (body: Buffer) => T;
}

/** The client side: one inbox, one table of open requests, one message per subject and tick. */
export function createRequestClient(deps: ClientDeps) {
  const { link, inbox, clock, metrics } = deps;
  const pending = createPendingTable(deps.deadlines, metrics);
  const sender = createRequestSender(deps, pending);
  receiveReplies(deps, pending);
  link.subscribe(batchesSubject(inbox), (message) => {
    const undelivered = undeliveredBy(message, pending);
    if (undelivered !== undefined) sender.undelivered(undelivered);
  });

  link.beforeMove(() => settled([...pending.sent()].filter(({ isUnsent }) => !isUnsent)));

  const open = createOpen(deps, pending);
  const refuse = (error: AppError): Promise<never> => {
    metrics.requestFailed(error.code);
    return Promise.reject(error);
  };

  return {
    /** Sends bytes and resolves with the decoded reply; rejects only with an `AppError`. */
    submit: <T>(submission: Submission<T>, options: RequestOptions): Promise<T> => {
      const leftMs = options.deadline - clock.now();
      const error = refusal(deps, leftMs, options.signal, pending.size()) ?? unsendable(deps, submission.body.length);
      if (error !== undefined) return refuse(error);
      const { promise, request } = open(submission, options, leftMs, "nats");
      sender.add(submission.route.subject, request);
      return promise;
    },
    /** Calls a method that this process serves: the value is passed as it is. */
    call: <T>(
      endpoint: LocalEndpoint,
      { route, decode, value }: Pick<Submission<T>, "route" | "decode"> & { readonly value: unknown },
      options: RequestOptions,
    ): Promise<T> => {
      const leftMs = options.deadline - clock.now();
      const error = refusal(deps, leftMs, options.signal, pending.size());
      if (error !== undefined) return refuse(error);
      const { promise, request } = open({ route, body: noBytes, decode }, options, leftMs, "inproc");
      deps.local?.call(endpoint, value, request, pending);
      return promise;
    },
    refuse,
    sendsElsewhere: sender.sendsElsewhere,
    /** Number of own requests that have not been answered yet. */
    outstanding: pending.size,
    /** Fails all outstanding requests with `code`, so that they do not wait for their deadlines when no answer will come. */
    failAll: (code: ErrorCode): void => {
      sender.flush();
      pending.failNumbered(code);
    },
    balance: sender.balance,
    resend: sender.resend,
    reconnected: sender.reconnected,
  };
}

function createOpen({ tracer }: ClientDeps, pending: PendingTable) {
  return <T>(
    { route, body, decode }: Submission<T>,
    { deadline, signal }: RequestOptions,
    leftMs: number,
    system: CallSystem,
  ) => {
    const settler = Promise.withResolvers<T>();
    const span = tracer === undefined ? undefined : callSpan(tracer, route, system);
    const init = { route, body, deadlineMs: deadline, signal, decode, span };
    return { promise: settler.promise, request: pending.open(init, settler, leftMs) };
  };
}

const pollMs = 5;
const maxPolls = 100;

/** Resolves when all are answered, or after half a second. */
async function settled(requests: readonly PendingRequest[]): Promise<void> {
  for (let polls = 0; polls < maxPolls && requests.some((request) => !request.settled); polls += 1)
    await delay(pollMs, undefined, { ref: false });
}

function callSpan(tracer: Tracer, { name }: Route, system: CallSystem): Span | undefined {
  const attributes = { "rpc.system.name": system, "rpc.method": name };
  return tracer.child({ name, kind: "client", attributes });
}

/** Why a request cannot be made; undefined if it can. */
function refusal(
  { maxOutstanding }: ClientDeps,
  leftMs: number,
  signal: AbortSignal | undefined,
  outstanding: number,
): AppError | undefined {
  if (!Number.isFinite(leftMs)) return new AppError("INTERNAL", { detail: "a bus deadline must be a finite time" });
  if (signal?.aborted === true) return new AppError("REQUEST_ABORTED");
  if (leftMs <= 0) return new AppError("DEADLINE_EXCEEDED");
  return outstanding >= maxOutstanding ? new AppError("BUS_BACKLOG") : undefined;
}

/** Why a request of this size cannot be sent over NATS; undefined if it can. */
function unsendable({ link }: ClientDeps, bytes: number): AppError | undefined {
  if (!link.isConnected() && !link.isMoving()) return new AppError("BUS_DISCONNECTED");
  if (bytes + frameHeaderBytes > link.maxPayload()) return new AppError("BUS_PAYLOAD", { detail: `${bytes} bytes` });
  return undefined;
}

function receiveReplies({ link, inbox, codec, metrics }: ClientDeps, pending: PendingTable): void {
  const receive = ({ id, body, isError }: FrameView): void => {
    const request = pending.byId(id);
    if (request === undefined) {
      metrics.counted("late_reply");
      return;
    }
    if (isError) {
      pending.fail(request, decodeError(codec, body));
      return;
    }
    let value: unknown;
    try {
      value = request.decode(body);
    } catch (cause) {
      metrics.counted("malformed");
      pending.fail(request, cause instanceof AppError ? cause : new AppError("UPSTREAM_UNAVAILABLE", { cause }));
      return;
    }
    pending.resolve(request, value);
  };
  link.subscribe(repliesSubject(inbox), (message) => {
    try {
      decodeFrames(messageBytes(message), receive);
    } catch {
      metrics.counted("malformed");
    }
  });
}

/**
 * NATS sends its own status 503 to the reply subject of a batch, which contains the ids of the batch and when it was sent. A late status is
 * about a replica to which the request is no longer assigned, and says nothing about its current replica.
 */
function undeliveredBy(message: Msg, pending: PendingTable): readonly PendingRequest[] | undefined {
  const range = parseReplySubject(message.subject);
  if (message.headers?.code !== 503 || range === undefined) return undefined;
  const requests = Array.from({ length: range.count }, (_, offset) => pending.byId((range.firstId + offset) >>> 0));
  return requests.filter((request) => request !== undefined).filter(({ sentAtMs }) => sentAtMs === range.sentAtMs);
}
