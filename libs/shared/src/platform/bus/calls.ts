import type { Deadlines } from "../concurrency/deadlines.ts";
import { AppError } from "../errors/app-error.ts";
import type { ErrorCode } from "../errors/codes.ts";
import { fromUnknown } from "../errors/from-unknown.ts";
import type { Clock } from "../time/clock.ts";
import type { Tracer } from "../tracing/tracer.ts";
import { type Codec, encodeError } from "./codec.ts";
import { type FrameView, frameHeaderBytes } from "./frames.ts";
import { type HandlerContext, InFlightCall } from "./in-flight-call.ts";
import type { Link } from "./link.ts";
import type { BusMetrics } from "./metrics.ts";
import type { ReplySender } from "./replies.ts";
import type { Route } from "./route.ts";
import type { TracesOfMessage } from "./trace-header.ts";

/** Decodes a request, handles it and encodes the result; the typed and the raw layer differ only in this. */
export interface Endpoint {
  readonly route: Route;
  readonly queue: string;
  invoke(body: Buffer, context: HandlerContext): unknown;
  encode(result: unknown): Uint8Array;
}

export interface CallsDeps {
  readonly link: Link;
  readonly deadlines: Deadlines;
  readonly clock: Clock;
  readonly codec: Codec;
  readonly metrics: BusMetrics;
  readonly replies: ReplySender;
  readonly onError: (error: AppError, subject: string) => void;
  readonly tracer: Tracer | undefined;
}

/** Sender of a batch, and the offset that converts its clock to ours. */
interface BatchCaller {
  readonly inbox: string;
  readonly offsetMs: number;
  readonly firstId: number;
  /** Absent if no request of the batch is traced. */
  readonly traces: TracesOfMessage | undefined;
}

/** Encodes a result, or the error that the handler threw. */
function createReplyBytes({ link, codec, metrics, onError }: CallsDeps, endpoint: Endpoint) {
  const encoded = (result: unknown): Uint8Array => {
    const reply = endpoint.encode(result);
    if (reply.length + frameHeaderBytes > link.maxPayload()) throw new AppError("BUS_PAYLOAD");
    return reply;
  };
  const refusal = (thrown: unknown): Uint8Array => {
    const error = fromUnknown(thrown);
    if (error.code === "INTERNAL") onError(error, endpoint.route.subject);
    if (error.code === "REQUEST_MALFORMED") metrics.malformed();
    return encodeError(codec, error);
  };
  return { encoded, refusal };
}

/** Handles a request in a span of the caller's trace. */
function traced(
  { tracer }: CallsDeps,
  { route: { name } }: Endpoint,
  handle: (call: InFlightCall, body: Buffer) => Promise<ErrorCode | undefined>,
) {
  const attributes = { "rpc.system.name": "nats", "rpc.method": name };
  return async (call: InFlightCall, body: Buffer, traceparent: string | undefined): Promise<void> => {
    const span = tracer?.resume({ name, kind: "server", attributes }, traceparent);
    if (span === undefined) await handle(call, body);
    else span.end(await tracer?.run(span, () => handle(call, body)));
  };
}

/** The requests of one endpoint that are being handled; their number is limited. */
export function createCalls(deps: CallsDeps, endpoint: Endpoint, maxInFlight: number) {
  const { clock, codec, metrics, replies } = deps;
  const { encoded, refusal } = createReplyBytes(deps, endpoint);
  const overloaded = encodeError(codec, new AppError("OVERLOADED"));
  let inFlight = 0;
  let idle: PromiseWithResolvers<void> | undefined;

  const answer = (call: InFlightCall, body: Uint8Array, isError: boolean): void => {
    call.finish();
    if (call.deadline <= clock.now()) metrics.lateReply();
    else replies.send(call.inbox, { id: call.id, deadlineMs: call.deadline, body, isError });
    inFlight -= 1;
    if (inFlight === 0) idle?.resolve();
  };
  /** Resolves to the code of the error that was sent, if any. */
  const handle = async (call: InFlightCall, body: Buffer): Promise<ErrorCode | undefined> => {
    let reply: Uint8Array;
    let failure: ErrorCode | undefined;
    try {
      reply = encoded(await endpoint.invoke(body, call));
    } catch (thrown) {
      reply = refusal(thrown);
      failure = fromUnknown(thrown).code;
    }
    answer(call, reply, failure !== undefined);
    return failure;
  };
  const handleTraced = traced(deps, endpoint, handle);

  return {
    /** Handles a request or rejects it immediately; never throws. */
    accept: (
      { inbox, offsetMs, firstId, traces }: BatchCaller,
      { id, deadlineMs: callersDeadlineMs, body }: FrameView,
    ): void => {
      const deadlineMs = callersDeadlineMs + offsetMs;
      if (deadlineMs <= clock.now()) {
        metrics.expiredDropped();
      } else if (inFlight >= maxInFlight) {
        metrics.overloaded();
        replies.send(inbox, { id, deadlineMs, body: overloaded, isError: true });
      } else {
        inFlight += 1;
        const call = new InFlightCall(id, deadlineMs, inbox, deps);
        if (traces === undefined) void handle(call, body);
        else void handleTraced(call, body, traces.get((id - firstId) >>> 0));
      }
    },
    inFlight: (): number => inFlight,
    /** Resolves when no request is being handled. */
    idle: async (): Promise<void> => {
      if (inFlight === 0) return;
      idle ??= Promise.withResolvers<void>();
      await idle.promise;
    },
  };
}
