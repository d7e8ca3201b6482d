import { AppError } from "../errors/app-error.ts";
import { fromUnknown } from "../errors/from-unknown.ts";
import type { Clock } from "../time/clock.ts";
import type { Codec } from "./codec.ts";
import type { Deadlines } from "./deadlines.ts";
import { type FrameView, frameHeaderBytes } from "./frames.ts";
import { type CallContext, InFlightCall } from "./in-flight-call.ts";
import type { Link } from "./link.ts";
import type { BusMetrics } from "./metrics.ts";
import type { ReplySender } from "./replies.ts";
import { encodeError } from "./wire-error.ts";

/** Bytes in, a result, bytes out; the typed and the raw layer differ in this only. */
export interface Endpoint {
  readonly subject: string;
  readonly queue: string;
  invoke(body: Buffer, context: CallContext): unknown;
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
}

/** Who sent a batch, and what to add to its times to have them in ours. */
export interface BatchCaller {
  readonly inbox: string;
  readonly offsetMs: number;
}

/** The requests of one endpoint that are being handled, bounded. */
export interface Calls {
  /** Handles a request, or refuses it at once; never throws. */
  readonly accept: (caller: BatchCaller, frame: FrameView) => void;
  readonly inFlight: () => number;
  /** Resolves when nothing is being handled. */
  readonly idle: () => Promise<void>;
}

/** The bytes of a result, and those of what was thrown. */
function createReplyBytes({ link, codec, metrics, onError }: CallsDeps, endpoint: Endpoint) {
  const encoded = (result: unknown): Uint8Array => {
    const reply = endpoint.encode(result);
    if (reply.length + frameHeaderBytes > link.maxPayload()) throw new AppError("BUS_PAYLOAD");
    return reply;
  };
  const refusal = (thrown: unknown): Uint8Array => {
    const error = fromUnknown(thrown);
    if (error.code === "INTERNAL") onError(error, endpoint.subject);
    if (error.code === "REQUEST_MALFORMED") metrics.malformed();
    return encodeError(codec, error);
  };
  return { encoded, refusal };
}

export function createCalls(deps: CallsDeps, endpoint: Endpoint, maxInFlight: number): Calls {
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
  const fail = (call: InFlightCall, thrown: unknown): void => answer(call, refusal(thrown), true);
  const succeed = (call: InFlightCall, result: unknown): void => {
    let reply: Uint8Array;
    try {
      reply = encoded(result);
    } catch (thrown) {
      return fail(call, thrown);
    }
    answer(call, reply, false);
  };
  const handle = (call: InFlightCall, body: Buffer): void => {
    let result: unknown;
    try {
      result = endpoint.invoke(body, call);
    } catch (thrown) {
      return fail(call, thrown);
    }
    if (result instanceof Promise) {
      result.then(
        (found) => succeed(call, found),
        (thrown: unknown) => fail(call, thrown),
      );
    } else succeed(call, result);
  };

  return {
    accept({ inbox, offsetMs }, { id, deadlineMs: callersDeadlineMs, body }) {
      const deadlineMs = callersDeadlineMs + offsetMs;
      if (deadlineMs <= clock.now()) {
        metrics.expiredDropped();
      } else if (inFlight >= maxInFlight) {
        metrics.overloaded();
        replies.send(inbox, { id, deadlineMs, body: overloaded, isError: true });
      } else {
        inFlight += 1;
        handle(new InFlightCall(id, deadlineMs, inbox, deps), body);
      }
    },
    inFlight: () => inFlight,
    async idle() {
      if (inFlight === 0) return;
      idle ??= Promise.withResolvers<void>();
      await idle.promise;
    },
  };
}
