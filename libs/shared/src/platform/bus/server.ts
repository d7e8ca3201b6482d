import { endsWithin } from "../concurrency/deadline.ts";
import { type CallsDeps, createCalls, type Endpoint } from "./calls.ts";
import { decodeFrames } from "./frames.ts";
import { parseReplySubject } from "./inbox.ts";
import { messageBytes } from "./message-bytes.ts";
import type { PeerClocks } from "./peer-clocks.ts";

const defaultMaxInFlight = 1024;
export const defaultDrainMs = 10_000;

export interface ServeOptions {
  /** Maximum number of requests handled concurrently; further ones are answered with OVERLOADED. Default 1024. */
  readonly maxInFlight?: number | undefined;
}

/** A method that this process serves. */
export interface Serving {
  inFlight(): number;
  /** Stops accepting requests, finishes those in progress and sends their replies; gives up after `withinMs` (10 s). */
  drain(withinMs?: number): Promise<void>;
}

export interface ServerDeps extends CallsDeps {
  readonly peerClocks: PeerClocks;
}

/** The server side: a member of the service's queue group. */
export function serveEndpoint(deps: ServerDeps, endpoint: Endpoint, options: ServeOptions): Serving {
  const { link, metrics, replies, peerClocks } = deps;
  const calls = createCalls(deps, endpoint, options.maxInFlight ?? defaultMaxInFlight);

  const subscription = link.subscribe(
    endpoint.subject,
    (message) => {
      const batch = parseReplySubject(message.reply);
      if (batch === undefined) {
        metrics.malformed();
        return;
      }
      const caller = { inbox: batch.inbox, offsetMs: peerClocks.offsetMs(batch.inbox, batch.sentAtMs) };
      try {
        decodeFrames(messageBytes(message), (frame) => calls.accept(caller, frame));
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
