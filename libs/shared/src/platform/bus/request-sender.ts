import type { MsgHdrs } from "@nats-io/transport-node";
import { AppError } from "../errors/app-error.ts";
import type { ErrorCode } from "../errors/codes.ts";
import type { Clock } from "../time/clock.ts";
import type { Tracer } from "../tracing/tracer.ts";
import { createBatcher } from "./batcher.ts";
import type { Codec } from "./codec.ts";
import { encodeFrames } from "./frames.ts";
import { formatReplySubject } from "./inbox.ts";
import type { Link } from "./link.ts";
import type { LocalBus, LocalEndpoint } from "./local-bus.ts";
import type { BusMetrics } from "./metrics.ts";
import type { PendingRequest } from "./pending-request.ts";
import type { PendingTable } from "./pending-table.ts";
import { chooseReplica, type LiveReplicas, type Replica } from "./replicas.ts";
import { createResending } from "./resending.ts";
import type { Route } from "./route.ts";
import { traceHeader } from "./trace-header.ts";

export interface RequestSenderDeps {
  readonly link: Link;
  readonly inbox: string;
  readonly clock: Clock;
  readonly codec: Pick<Codec, "decode">;
  readonly metrics: BusMetrics;
  readonly tracer: Tracer | undefined;
  /** Absent if no other service runs in this process. */
  readonly local: LocalBus | undefined;
}

/** More than the traces of a message take. A message that would exceed the limit of NATS with them goes without. */
const maxHeaderBytes = 4096;

const none: readonly Replica[] = [];
const noReplicas: LiveReplicas = { live: () => none, isReturning: () => false, unreachable: () => undefined };

/** The replicas of each service whose requests are balanced. */
function createReplicaLists() {
  const replicasOf = new Map<string, LiveReplicas>();
  return {
    /**
     * From now on sends each batch of requests for `service` to one of its live replicas, of two chosen at random to the one with fewer
     * requests of this process.
     */
    balance: (service: string, replicas: LiveReplicas): void => void replicasOf.set(service, replicas),
    replicasFor: ({ service, isShared }: Route): LiveReplicas =>
      (isShared ? replicasOf.get(service) : undefined) ?? noReplicas,
  };
}

/** Lets this process answer a request that it had left to another one. Returns false if it cannot. */
function createCallHere({ local, codec, inbox, metrics }: RequestSenderDeps, pending: PendingTable) {
  return (request: PendingRequest): boolean => {
    const endpoint = local?.endpoint(request.route.subject);
    if (local === undefined || endpoint === undefined || endpoint.calls.isFull()) return false;
    pending.assign([request], undefined);
    request.isLost = false;
    request.isUnsent = false;
    metrics.counted("resent");
    local.callAgain(endpoint, codec.decode(request.body), request, { pending, inbox });
    return true;
  };
}

function replicasElsewhere(replicas: LiveReplicas, local: LocalBus): readonly Replica[] {
  return replicas.live().filter(({ instance }) => !local.has(instance));
}

/** Sends one message to a replica, or to the queue group. */
function createPublisher({ link, inbox, clock, tracer }: RequestSenderDeps, pending: PendingTable) {
  const failEach = (requests: readonly PendingRequest[], code: ErrorCode, cause?: unknown): void => {
    for (const request of requests) pending.fail(request, new AppError(code, { cause }));
  };
  const headersOf = (requests: readonly PendingRequest[], bytes: number): MsgHdrs | undefined =>
    bytes + maxHeaderBytes > link.maxPayload() ? undefined : traceHeader(requests);
  /** The requests have the same route and consecutive ids. */
  const publish = (requests: readonly PendingRequest[], route: Route, replica: Replica | undefined): void => {
    const sentAtMs = clock.now();
    pending.assign(requests, replica, sentAtMs);
    const bytes = encodeFrames(requests);
    const batch = { firstId: requests[0]?.id ?? 0, count: requests.length, sentAtMs };
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

/** Sends requests to a replica of their service, and a second time where the first replica may never answer. */
export function createRequestSender(deps: RequestSenderDeps, pending: PendingTable) {
  const { link, metrics, local } = deps;
  const { balance, replicasFor } = createReplicaLists();
  const { publish, failEach } = createPublisher(deps, pending);
  const { keep, keepForNextServer, ...resending } = createResending({
    link,
    metrics,
    pending,
    publish,
    replicasFor,
    callHere: createCallHere(deps, pending),
  });

  const sendBatch = (_subject: string, batch: readonly PendingRequest[]): void => {
    const open = batch.filter((request) => !request.settled);
    const route = open[0]?.route;
    if (route === undefined) return;
    if (!link.isConnected() && !link.isMoving()) {
      failEach(open, "BUS_DISCONNECTED");
      return;
    }
    pending.number(open);
    if (link.isMoving()) {
      keepForNextServer(open);
      return;
    }
    const replicas = replicasFor(route);
    const others = local === undefined ? [] : replicasElsewhere(replicas, local);
    // One choice for a batch: choosing for each request would split the batches.
    const chosen = chooseReplica(others.length > 0 ? others : replicas.live());
    if (chosen === undefined && replicas.isReturning()) keep(open);
    else publish(open, route, chosen);
  };

  /** Whether a request that this process could answer is better sent to a replica elsewhere. */
  const sendsElsewhere = (route: Route, { calls }: LocalEndpoint): boolean =>
    local !== undefined &&
    (calls.isFull() || local.isLate()) &&
    link.isConnected() &&
    replicasElsewhere(replicasFor(route), local).length > 0;

  return {
    sendsElsewhere,
    ...createBatcher<PendingRequest>({ send: sendBatch, maxMessageBytes: link.maxPayload }),
    balance,
    ...resending,
  };
}
