import type { MsgHdrs } from "@nats-io/transport-node";
import { AppError } from "../errors/app-error.ts";
import type { ErrorCode } from "../errors/codes.ts";
import type { Clock } from "../time/clock.ts";
import type { Tracer } from "../tracing/tracer.ts";
import { type Batcher, createBatcher } from "./batcher.ts";
import { encodeFrames } from "./frames.ts";
import { formatReplySubject } from "./inbox.ts";
import type { Link } from "./link.ts";
import type { BusMetrics } from "./metrics.ts";
import type { PendingRequest } from "./pending-request.ts";
import type { PendingTable } from "./pending-table.ts";
import { chooseReplica, type LiveReplicas, type Replica } from "./replicas.ts";
import type { Route } from "./route.ts";
import { traceHeader } from "./trace-header.ts";

export interface RequestSenderDeps {
  readonly link: Link;
  readonly inbox: string;
  readonly clock: Clock;
  readonly metrics: BusMetrics;
  readonly tracer: Tracer | undefined;
}

/** Sends requests to a replica of their service, and a second time where the first replica may never answer. */
export interface RequestSender extends Batcher<PendingRequest> {
  readonly balance: (service: string, live: LiveReplicas) => void;
  /**
   * Sends unanswered requests to another replica: those of silent replicas, and those that a lost connection may have swallowed. Only
   * repeatable methods, and only between replicas that count a request once.
   */
  readonly resend: (silent: readonly Replica[]) => void;
  /** Requests that were sent to this replica may be lost. */
  readonly reconnected: (replica: Replica) => void;
  /** NATS reported that no process received these requests: the queue group gets what was meant for one replica. */
  readonly undelivered: (requests: readonly PendingRequest[]) => void;
}

/** More than the traces of a message take. A message that would exceed the limit of NATS with them goes without. */
const maxHeaderBytes = 4096;

/**
 * Replicas that lose their server of NATS together fall silent together, so that the second one may be silent too. More would let a request
 * that stalls its replica stall them all.
 */
const maxSilences = 2;
/** For any reason. */
const maxRepeats = 4;

const noReplicas: readonly Replica[] = [];

/** The live replicas of each service whose requests are balanced. */
function createReplicaLists() {
  const liveOf = new Map<string, LiveReplicas>();
  return {
    balance: (service: string, live: LiveReplicas): void => void liveOf.set(service, live),
    liveFor: ({ service, isShared }: Route): readonly Replica[] =>
      isShared ? (liveOf.get(service)?.() ?? noReplicas) : noReplicas,
  };
}

/** Sends one message to a replica, or to the queue group. */
function createPublisher({ link, inbox, clock, tracer }: RequestSenderDeps, pending: PendingTable) {
  const failEach = (requests: readonly PendingRequest[], code: ErrorCode, cause?: unknown): void => {
    for (const request of requests) pending.fail(request, new AppError(code, { cause }));
  };
  const headersOf = (requests: readonly PendingRequest[], bytes: number): MsgHdrs | undefined =>
    bytes + maxHeaderBytes > link.maxPayload() ? undefined : traceHeader(requests);
  /** The requests have the same route and consecutive ids. */
  const publish = (requests: readonly PendingRequest[], route: Route, chosen: Replica | undefined): void => {
    const replica = chosen?.isAddressed === true ? chosen : undefined;
    pending.assign(requests, replica);
    const bytes = encodeFrames(requests);
    const batch = { firstId: requests[0]?.id ?? 0, count: requests.length, sentAtMs: clock.now() };
    try {
      const subject = replica === undefined ? route.subject : route.subjectAt(replica.instance);
      const headers = tracer === undefined ? undefined : headersOf(requests, bytes.length);
      link.publish(subject, bytes, formatReplySubject(inbox, batch), headers);
    } catch (cause) {
      failEach(requests, bytes.length > link.maxPayload() ? "BUS_PAYLOAD" : "BUS_DISCONNECTED", cause);
    }
  };
  return { publish, failEach };
}

type Publish = ReturnType<typeof createPublisher>["publish"];
type LiveFor = ReturnType<typeof createReplicaLists>["liveFor"];

/** Sends requests a second time. */
function createResending(
  { link, metrics }: RequestSenderDeps,
  pending: PendingTable,
  { publish, liveFor }: { readonly publish: Publish; readonly liveFor: LiveFor },
): Pick<RequestSender, "resend" | "reconnected" | "undelivered"> {
  /** One message each, because their ids are not consecutive. Such requests are few. */
  const resendOne = (request: PendingRequest, replica: Replica | undefined): void => {
    request.isLost = false;
    request.repeats += 1;
    metrics.resent();
    publish([request], request.route, replica);
  };

  let mayBeLost = false;
  link.onStatus((status) => {
    if (status !== "disconnected") return;
    for (const request of pending.sent()) request.isLost = true;
    mayBeLost = true;
  });

  /** Returns false if the request needs another replica and there is none. */
  const resendIfNeeded = (request: PendingRequest, silent: readonly Replica[]): boolean => {
    const { replica, route } = request;
    if (!route.isRepeatable || !route.isShared || request.repeats === maxRepeats) return true;
    const isSilent = replica !== undefined && silent.includes(replica);
    if (!request.isLost && !(isSilent && request.silences < maxSilences)) return true;
    const live = liveFor(route);
    // The queue group may have given it to a replica of an earlier version, which would count it separately.
    if (replica === undefined && live.some(({ isAddressed }) => !isAddressed)) return true;
    const isOther = (other: Replica): boolean => other.isAddressed && !(isSilent && other === replica);
    const chosen = chooseReplica(live.filter(isOther));
    if (chosen === undefined) return false;
    if (isSilent) request.silences += 1;
    resendOne(request, chosen);
    return true;
  };

  return {
    resend(silent) {
      if (!link.isConnected() || !(mayBeLost || silent.some(({ outstanding }) => outstanding > 0))) return;
      // A copy, because a failed publication removes its request.
      const unsent = [...pending.sent()].filter((request) => !resendIfNeeded(request, silent));
      mayBeLost &&= unsent.some(({ isLost }) => isLost);
    },
    reconnected(replica) {
      for (const request of pending.sent()) {
        request.isLost ||= request.replica === replica || request.replica === undefined;
      }
      mayBeLost = true;
    },
    undelivered(requests) {
      for (const request of requests) {
        if (request.replica !== undefined && link.isConnected()) resendOne(request, undefined);
        else pending.fail(request, new AppError("BUS_NO_RESPONDERS"));
      }
    },
  };
}

export function createRequestSender(deps: RequestSenderDeps, pending: PendingTable): RequestSender {
  const { link } = deps;
  const { balance, liveFor } = createReplicaLists();
  const { publish, failEach } = createPublisher(deps, pending);

  const sendBatch = (_subject: string, batch: readonly PendingRequest[]): void => {
    const open = batch.filter((request) => !request.settled);
    const route = open[0]?.route;
    if (route === undefined) return;
    if (!link.isConnected()) {
      failEach(open, "BUS_DISCONNECTED");
      return;
    }
    pending.number(open);
    // One choice for a batch: choosing for each request would split the batches.
    publish(open, route, chooseReplica(liveFor(route)));
  };

  return {
    ...createBatcher({ send: sendBatch, maxMessageBytes: link.maxPayload }),
    balance,
    ...createResending(deps, pending, { publish, liveFor }),
  };
}
