import { AppError } from "../errors/app-error.ts";
import type { Link } from "./link.ts";
import type { BusMetrics } from "./metrics.ts";
import type { PendingRequest } from "./pending-request.ts";
import type { PendingTable } from "./pending-table.ts";
import { chooseReplica, type LiveReplicas, type Replica } from "./replicas.ts";
import type { Route } from "./route.ts";

export interface ResendingDeps {
  readonly link: Link;
  readonly metrics: Pick<BusMetrics, "resent">;
  readonly pending: PendingTable;
  readonly publish: (requests: readonly PendingRequest[], route: Route, chosen: Replica | undefined) => void;
  readonly replicasFor: (route: Route) => LiveReplicas;
}

export interface Resending {
  /**
   * Sends unanswered requests to another replica: those of silent replicas, and those that a lost connection may have swallowed. Only
   * repeatable methods, and only between replicas that count a request once. Requests that no replica has received are sent as well.
   */
  readonly resend: (silent: readonly Replica[]) => void;
  /** Requests that were sent to this replica may be lost. */
  readonly reconnected: (replica: Replica) => void;
  /** NATS reported that no process received these requests: another replica gets them, or the queue group. */
  readonly undelivered: (requests: readonly PendingRequest[]) => void;
  /** Keeps requests until a replica is live, or none is expected any more. */
  readonly keep: (requests: readonly PendingRequest[]) => void;
  /** Keeps requests until the connection has moved to another server. */
  readonly keepForNextServer: (requests: readonly PendingRequest[]) => void;
}

/** Whether the request may have been lost with a connection, or its replica is silent, so that another replica should get it. */
function needsRepeat(request: PendingRequest, isSilent: boolean): boolean {
  const { route, repeats, isLost, silences } = request;
  if (!route.isRepeatable || !route.isShared || repeats === maxRepeats) return false;
  return isLost || (isSilent && silences < maxSilences);
}

/**
 * Replicas that lose their server of NATS together fall silent together, so the second one may be silent too. More would let a request
 * that stalls its replica stall them all.
 */
const maxSilences = 2;
/** For any reason. */
const maxRepeats = 4;

/** One message each, because their ids are not consecutive. Such requests are few. */
function sendAgain({ metrics, publish }: ResendingDeps, request: PendingRequest, replica: Replica | undefined): void {
  request.isLost = false;
  request.isUnsent = false;
  metrics.resent();
  publish([request], request.route, replica);
}

interface Choice {
  /** Absent: the queue group gets the request, unless it waits. */
  readonly chosen: Replica | undefined;
  /** Whether a replica that may have the request is expected. */
  readonly waits: boolean;
}

/**
 * Where a request goes that its last replica did not receive. If it was sent again before that, an earlier replica may have received it:
 * then it never goes to replicas of an earlier version, which would count it a second time.
 */
function chooseNext({ repeats }: PendingRequest, replicas: LiveReplicas): Choice {
  const live = replicas.live();
  const chosen = chooseReplica(repeats === 0 ? live : live.filter(({ isAddressed }) => isAddressed));
  return { chosen, waits: chosen === undefined && (live.length > 0 || replicas.isReturning()) };
}

/** Sends a request that no replica has received. Returns false if it waits for one. */
function sendUnsent(deps: ResendingDeps, request: PendingRequest): boolean {
  const { chosen, waits } = chooseNext(request, deps.replicasFor(request.route));
  if (waits) return false;
  sendAgain(deps, request, chosen);
  return true;
}

/** Returns false if the request needs another replica and there is none. */
function resendIfNeeded(deps: ResendingDeps, request: PendingRequest, silent: readonly Replica[]): boolean {
  if (request.isUnsent) return sendUnsent(deps, request);
  const { replica, route } = request;
  const isSilent = replica !== undefined && silent.includes(replica);
  if (!needsRepeat(request, isSilent)) return true;
  const live = deps.replicasFor(route).live();
  // The queue group may have given it to a replica of an earlier version, which would count it separately.
  if (replica === undefined && live.some(({ isAddressed }) => !isAddressed)) return true;
  const isOther = (other: Replica): boolean => other.isAddressed && !(isSilent && other === replica);
  const chosen = chooseReplica(live.filter(isOther));
  if (chosen === undefined) return false;
  if (isSilent) request.silences += 1;
  request.repeats += 1;
  sendAgain(deps, request, chosen);
  return true;
}

function offline(replicas: LiveReplicas): Choice {
  return { chosen: undefined, waits: replicas.isReturning() };
}

/** Sends requests a second time, or later. */
export function createResending(deps: ResendingDeps): Resending {
  const { link, pending, replicasFor } = deps;
  let hasWaiting = false;
  const keep = (requests: readonly PendingRequest[]): void => {
    pending.assign(requests, undefined);
    for (const request of requests) request.isUnsent = true;
    hasWaiting = true;
  };
  const forNextServer: PendingRequest[] = [];
  const keepForNextServer = (requests: readonly PendingRequest[]): void => {
    keep(requests);
    forNextServer.push(...requests);
  };
  const takeForNextServer = (): readonly PendingRequest[] =>
    forNextServer.splice(0).filter(({ settled, isUnsent }) => !settled && isUnsent);
  link.onStatus((status) => {
    if (status === "connected") for (const request of takeForNextServer()) sendUnsent(deps, request);
    if (status !== "disconnected") return;
    for (const request of pending.sent()) request.isLost = !request.isUnsent;
    hasWaiting = true;
  });
  link.onMoveFailed(() => {
    for (const request of takeForNextServer()) pending.fail(request, new AppError("BUS_DISCONNECTED"));
  });

  const sendElsewhere = (request: PendingRequest): void => {
    const { replica, route } = request;
    const replicas = replicasFor(route);
    replicas.unreachable(replica);
    const { chosen, waits } = link.isConnected() ? chooseNext(request, replicas) : offline(replicas);
    const hasNone = chosen === undefined && replica === undefined;
    if (link.isMoving()) keepForNextServer([request]);
    else if (waits) keep([request]);
    else if (hasNone || !link.isConnected()) pending.fail(request, new AppError("BUS_NO_RESPONDERS"));
    else sendAgain(deps, request, chosen);
  };

  return {
    keep,
    keepForNextServer,
    resend(silent) {
      if (!link.isConnected() || link.isMoving() || !(hasWaiting || silent.some(({ outstanding }) => outstanding > 0)))
        return;
      // A copy, because a failed publication removes its request.
      const waiting = [...pending.sent()].filter((request) => !resendIfNeeded(deps, request, silent));
      hasWaiting &&= waiting.some(({ isLost, isUnsent }) => isLost || isUnsent);
    },
    reconnected(replica) {
      for (const request of pending.sent()) {
        request.isLost ||= request.replica === replica || request.replica === undefined;
      }
      hasWaiting = true;
    },
    undelivered(requests) {
      for (const request of requests) sendElsewhere(request);
    },
  };
}
