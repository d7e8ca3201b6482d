import { type CallsDeps, createCalls, type Endpoint } from "./calls.ts";
import { endsWithin } from "./ends-within.ts";
import { decodeFrames } from "./frames.ts";
import { inboxOfReplySubject } from "./inbox.ts";
import { messageBytes } from "./message-bytes.ts";

const defaultMaxInFlight = 1024;
export const defaultDrainMs = 10_000;

export interface ServeOptions {
  /** Requests handled at once; one more is answered OVERLOADED. Default 1024. */
  readonly maxInFlight?: number | undefined;
}

/** A method that this process answers. */
export interface Serving {
  inFlight(): number;
  /** Takes no new requests, finishes those that it has, sends their replies; gives up after `withinMs` (10 s). */
  drain(withinMs?: number): Promise<void>;
}

/** The answering side: a member of the service's queue group. */
export function serveEndpoint(deps: CallsDeps, endpoint: Endpoint, options: ServeOptions): Serving {
  const { link, metrics, replies } = deps;
  const calls = createCalls(deps, endpoint, options.maxInFlight ?? defaultMaxInFlight);

  const subscription = link.subscribe(
    endpoint.subject,
    (message) => {
      const inbox = inboxOfReplySubject(message.reply);
      try {
        if (inbox === undefined) metrics.malformed();
        else decodeFrames(messageBytes(message), (frame) => calls.accept(inbox, frame));
      } catch {
        metrics.malformed();
      }
    },
    endpoint.queue,
  );

  const finish = async (): Promise<void> => {
    await subscription.drain();
    await calls.idle();
    replies.flush();
    if (link.isConnected()) await link.flush();
  };

  return {
    inFlight: calls.inFlight,
    async drain(withinMs = defaultDrainMs) {
      await endsWithin(finish(), withinMs);
    },
  };
}
