import type { Msg } from "@nats-io/transport-node";
import { endsWithin } from "../concurrency/deadline.ts";
import { type CallsDeps, createCalls, type Endpoint, InFlight } from "./calls.ts";
import { decodeFrames, messageBytes } from "./frames.ts";
import { parseReplySubject } from "./inbox.ts";
import type { LocalBus } from "./local-bus.ts";
import { createLocalCalls } from "./local-calls.ts";
import type { PeerClocks } from "./peer-clocks.ts";
import { tracesOf } from "./trace-header.ts";

const defaultMaxInFlight = 1024;
export const defaultDrainMs = 10_000;

export interface ServeOptions {
  /** Maximum number of requests handled concurrently; further ones are answered with OVERLOADED. Default 1024. */
  readonly maxInFlight?: number | undefined;
  /**
   * Also serves the method under this name, on its own subject (`methodAt`), within the same limit: clients that know the replica from
   * its heartbeats send requests there.
   */
  readonly instance?: string | undefined;
}

/** A method that this process serves. */
export interface Serving {
  inFlight(): number;
  /** Stops accepting requests, finishes those in progress and sends their replies; gives up after `withinMs` (10 s). */
  drain(withinMs?: number): Promise<void>;
}

export interface ServerDeps extends CallsDeps {
  readonly peerClocks: PeerClocks;
  readonly local: LocalBus | undefined;
}

/** Serves the other services of this process too. Returns what ends that. */
function serveHere(
  deps: CallsDeps,
  endpoint: Endpoint,
  local: LocalBus,
  { inFlight, instance }: { readonly inFlight: InFlight; readonly instance: string | undefined },
): () => void {
  const { route, handle } = endpoint;
  if (handle === undefined) return () => undefined;
  const calls = createLocalCalls(deps, endpoint, handle, inFlight);
  const subjects = [route.subject, ...(instance === undefined ? [] : [route.subjectAt(instance)])];
  for (const subject of subjects) local.serve(subject, { calls, instance });
  return () => {
    for (const subject of subjects) local.withdraw(subject);
  };
}

/** The server side: a member of the service's queue group. */
export function serveEndpoint(deps: ServerDeps, endpoint: Endpoint, options: ServeOptions): Serving {
  const { link, metrics, replies, peerClocks, tracer, local } = deps;
  const inFlight = new InFlight(options.maxInFlight ?? defaultMaxInFlight);
  const calls = createCalls(deps, endpoint, inFlight);

  const onMessage = (message: Msg): void => {
    const batch = parseReplySubject(message.reply);
    if (batch === undefined) {
      metrics.counted("malformed");
      return;
    }
    const { inbox, firstId, sentAtMs } = batch;
    const traces = tracer === undefined ? undefined : tracesOf(message);
    const caller = { inbox, offsetMs: peerClocks.offsetMs(inbox, sentAtMs), firstId, traces };
    try {
      decodeFrames(messageBytes(message), (frame) => calls.accept(caller, frame));
    } catch {
      metrics.counted("malformed");
    }
  };
  const { route, queue } = endpoint;
  const { instance } = options;
  const subscriptions = [link.subscribe(route.subject, onMessage, { queue, isServed: true })];
  // No queue group: a frozen node of NATS leaves the subscription of a replica that has moved to another node behind, and a queue group of
  // both would give that node its share.
  if (instance !== undefined) {
    subscriptions.push(link.subscribe(route.subjectAt(instance), onMessage, { isServed: true }));
  }

  const withdraw = local === undefined ? undefined : serveHere(deps, endpoint, local, { inFlight, instance });

  const finish = async (): Promise<void> => {
    withdraw?.();
    await Promise.all(subscriptions.map((subscription) => subscription.drain()));
    await inFlight.idle();
    replies.flush();
    if (link.isConnected()) await link.flush();
  };

  return {
    inFlight: () => inFlight.count,
    async drain(withinMs = defaultDrainMs) {
      await endsWithin(finish(), withinMs);
    },
  };
}
