import type { Deadlines } from "../concurrency/deadlines.ts";
import { AppError, fromUnknown } from "../errors/app-error.ts";
import type { ErrorCode } from "../errors/codes.ts";
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
  /** Handles a request of this process, without encoding. Absent in the raw layer. */
  readonly handle?: ((value: unknown, context: HandlerContext) => Promise<unknown>) | undefined;
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

/** What the caller receives of an error: no details, which are for the log of this service. */
export function refusalOf({ metrics, onError }: CallsDeps, { route }: Endpoint): (thrown: unknown) => AppError {
  return (thrown) => {
    const error = fromUnknown(thrown);
    if (error.code === "INTERNAL") onError(error, route.subject);
    if (error.code === "REQUEST_MALFORMED") metrics.counted("malformed");
    return AppError.fromWire(error.toWire());
  };
}

function createEncode({ link }: CallsDeps, endpoint: Endpoint) {
  return (result: unknown): Uint8Array => {
    const reply = endpoint.encode(result);
    if (reply.length + frameHeaderBytes > link.maxPayload()) throw new AppError("BUS_PAYLOAD");
    return reply;
  };
}

/** How a request arrives, as spans name it. For calls within a process, OpenTelemetry has the word `inproc` only, as a transport. */
export type CallSystem = "nats" | "inproc";

/** Handles a request in a span of the caller's trace. */
export function traced({ tracer }: CallsDeps, { route: { name } }: Endpoint, system: CallSystem) {
  const attributes = { "rpc.system.name": system, "rpc.method": name };
  return async (handle: () => Promise<ErrorCode | undefined>, traceparent: string | undefined): Promise<void> => {
    const span = tracer?.resume({ name, kind: "server", attributes }, traceparent);
    if (span === undefined) await handle();
    else span.end(await tracer?.run(span, handle));
  };
}

/** The number of requests of one endpoint that are being handled, which is limited. */
export class InFlight {
  readonly #max: number;
  #count = 0;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#count >= this.#max;
  }

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count === 0) this.#idle?.resolve();
  }

  /** Resolves when no request is being handled. */
  async idle(): Promise<void> {
    if (this.#count === 0) return;
    this.#idle ??= Promise.withResolvers<void>();
    await this.#idle.promise;
  }
}

/** Handles the requests for one endpoint that arrive over NATS. */
export function createCalls(deps: CallsDeps, endpoint: Endpoint, inFlight: InFlight) {
  const { clock, codec, metrics, replies } = deps;
  const encoded = createEncode(deps, endpoint);
  const refusal = refusalOf(deps, endpoint);
  const overloaded = encodeError(codec, new AppError("OVERLOADED"));

  const answer = (call: InFlightCall, body: Uint8Array, isError: boolean): void => {
    call.finish();
    if (call.deadline <= clock.now()) metrics.counted("late_reply");
    else replies.send(call.inbox, { id: call.id, deadlineMs: call.deadline, body, isError });
    inFlight.end();
  };
  /** Resolves to the code of the error that was sent, if any. */
  const handle = async (call: InFlightCall, body: Buffer): Promise<ErrorCode | undefined> => {
    let reply: Uint8Array;
    let failure: ErrorCode | undefined;
    try {
      reply = encoded(await endpoint.invoke(body, call));
    } catch (thrown) {
      const error = refusal(thrown);
      reply = encodeError(codec, error);
      failure = error.code;
    }
    answer(call, reply, failure !== undefined);
    return failure;
  };
  const inTrace = traced(deps, endpoint, "nats");

  return {
    /** Handles a request or rejects it immediately; never throws. */
    accept: (
      { inbox, offsetMs, firstId, traces }: BatchCaller,
      { id, deadlineMs: callersDeadlineMs, body }: FrameView,
    ): void => {
      const deadlineMs = callersDeadlineMs + offsetMs;
      if (deadlineMs <= clock.now()) {
        metrics.counted("expired_dropped");
      } else if (inFlight.isFull) {
        metrics.counted("overloaded");
        replies.send(inbox, { id, deadlineMs, body: overloaded, isError: true });
      } else {
        inFlight.begin();
        const call = new InFlightCall(id, deadlineMs, inbox, deps);
        if (traces === undefined) void handle(call, body);
        else void inTrace(() => handle(call, body), traces.get((id - firstId) >>> 0));
      }
    },
  };
}
