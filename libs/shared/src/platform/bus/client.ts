import type { Msg } from "@nats-io/transport-node";
import type { Deadlines } from "../concurrency/deadlines.ts";
import { AppError } from "../errors/app-error.ts";
import type { ErrorCode } from "../errors/codes.ts";
import type { Clock } from "../time/clock.ts";
import { type Batcher, createBatcher } from "./batcher.ts";
import type { Codec } from "./codec.ts";
import { decodeFrames, encodeFrames, type FrameView, frameHeaderBytes } from "./frames.ts";
import { batchesSubject, formatReplySubject, parseReplySubject, repliesSubject } from "./inbox.ts";
import type { Link } from "./link.ts";
import { messageBytes } from "./message-bytes.ts";
import type { BusMetrics } from "./metrics.ts";
import type { PendingRequest } from "./pending-request.ts";
import { createPendingTable, type PendingTable } from "./pending-table.ts";
import { decodeError } from "./wire-error.ts";

export interface RequestOptions {
  /** Absolute, milliseconds since the epoch. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
}

export interface ClientDeps {
  readonly link: Link;
  readonly inbox: string;
  readonly deadlines: Deadlines;
  readonly clock: Clock;
  readonly codec: Codec;
  readonly metrics: BusMetrics;
  readonly maxOutstanding: number;
}

interface Submission<T> {
  readonly subject: string;
  readonly body: Uint8Array;
  readonly decode: (body: Buffer) => T;
}

export interface RequestClient {
  /** Sends bytes and resolves with the decoded reply; rejects only with an `AppError`. */
  readonly submit: <T>(submission: Submission<T>, options: RequestOptions) => Promise<T>;
  readonly outstanding: () => number;
  readonly failAll: (code: ErrorCode) => void;
}

/** The client side: one inbox, one table of open requests, one message per subject and tick. */
export function createRequestClient(deps: ClientDeps): RequestClient {
  const { link, inbox, clock, metrics } = deps;
  const pending = createPendingTable(deps.deadlines, metrics);
  const batcher = createRequestBatcher(deps, pending);
  const receiveReply = createReplyReceiver(deps, pending);

  link.subscribe(repliesSubject(inbox), (message) => {
    try {
      decodeFrames(messageBytes(message), receiveReply);
    } catch {
      metrics.malformed();
    }
  });
  link.subscribe(batchesSubject(inbox), (message) => failBatch(message, pending));

  return {
    submit<T>({ subject, body, decode }: Submission<T>, options: RequestOptions): Promise<T> {
      const error = refusal(deps, options, body.length, pending.size());
      if (error !== undefined) {
        metrics.requestFailed(error.code);
        return Promise.reject(error);
      }
      const settler = Promise.withResolvers<T>();
      const { deadline: deadlineMs, signal } = options;
      const init = { body, deadlineMs, signal, decode };
      batcher.add(subject, pending.open(init, settler, deadlineMs - clock.now()));
      return settler.promise;
    },
    outstanding: pending.size,
    failAll(code) {
      batcher.flush();
      pending.failNumbered(code);
    },
  };
}

/** Why a request cannot be sent; undefined if it can. */
function refusal(deps: ClientDeps, options: RequestOptions, bytes: number, outstanding: number): AppError | undefined {
  const { clock, link, maxOutstanding } = deps;
  const { deadline, signal } = options;
  if (!Number.isFinite(deadline)) return new AppError("INTERNAL", { detail: "a bus deadline must be a finite time" });
  if (signal?.aborted === true) return new AppError("REQUEST_ABORTED");
  if (deadline <= clock.now()) return new AppError("DEADLINE_EXCEEDED");
  if (!link.isConnected()) return new AppError("BUS_DISCONNECTED");
  if (outstanding >= maxOutstanding) return new AppError("BUS_BACKLOG");
  if (bytes + frameHeaderBytes > link.maxPayload()) return new AppError("BUS_PAYLOAD", { detail: `${bytes} bytes` });
  return undefined;
}

function createRequestBatcher({ link, inbox, clock }: ClientDeps, pending: PendingTable): Batcher<PendingRequest> {
  const failEach = (requests: readonly PendingRequest[], code: ErrorCode, cause?: unknown): void => {
    for (const request of requests) pending.fail(request, new AppError(code, { cause }));
  };
  const send = (subject: string, batch: readonly PendingRequest[]): void => {
    const open = batch.filter((request) => !request.settled);
    if (open.length === 0) return;
    if (!link.isConnected()) {
      failEach(open, "BUS_DISCONNECTED");
      return;
    }
    const firstId = pending.number(open);
    const bytes = encodeFrames(open);
    try {
      link.publish(subject, bytes, formatReplySubject(inbox, { firstId, count: open.length, sentAtMs: clock.now() }));
    } catch (cause) {
      failEach(open, bytes.length > link.maxPayload() ? "BUS_PAYLOAD" : "BUS_DISCONNECTED", cause);
    }
  };
  return createBatcher({ send, maxMessageBytes: link.maxPayload });
}

function createReplyReceiver({ codec, metrics }: ClientDeps, pending: PendingTable): (frame: FrameView) => void {
  return ({ id, body, isError }) => {
    const request = pending.find(id);
    if (request === undefined) {
      metrics.lateReply();
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
      metrics.malformed();
      pending.fail(request, cause instanceof AppError ? cause : new AppError("UPSTREAM_UNAVAILABLE", { cause }));
      return;
    }
    pending.resolve(request, value);
  };
}

/** NATS sends its own status 503 to the reply subject of a batch, which contains the ids of the batch. */
function failBatch(message: Msg, pending: PendingTable): void {
  const range = parseReplySubject(message.subject);
  if (message.headers?.code !== 503 || range === undefined) return;
  for (let offset = 0; offset < range.count; offset += 1) {
    const request = pending.find((range.firstId + offset) >>> 0);
    if (request !== undefined) pending.fail(request, new AppError("BUS_NO_RESPONDERS"));
  }
}
