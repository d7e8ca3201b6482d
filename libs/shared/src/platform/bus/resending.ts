import { AppError } from "../errors/app-error.ts";
import type { Link } from "./link.ts";
import type { BusMetrics } from "./metrics.ts";
import type { PendingRequest } from "./pending-request.ts";
import type { PendingTable } from "./pending-table.ts";
import { chooseReplica, type LiveReplicas, type Replica } from "./replicas.ts";
import type { Route } from "./route.ts";

interface ResendingDeps {
  readonly link: Link;
  readonly metrics: BusMetrics;
  readonly pending: PendingTable;
  readonly publish: (requests: readonly PendingRequest[], route: Route, replica: Replica | undefined) => void;
  readonly replicasFor: (route: Route) => LiveReplicas;
  /** Lets this process answer a request; false if it cannot. */
  readonly callHere: (request: PendingRequest) => boolean;
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
/** The limit for all reasons together. */
const maxRepeats = 4;

/** One message each, because their ids are not consecutive. Such requests are few. */
function sendAgain({ metrics, publish }: ResendingDeps, request: PendingRequest, replica: Replica | undefined): void {
  request.isLost = false;
  request.isUnsent = false;
  metrics.counted("resent");
  publish([request], request.route, replica);
}

/** Sends a request that no replica has received. Returns false if it waits for one. */
function sendUnsent(deps: ResendingDeps, request: PendingRequest): boolean {
  const replicas = deps.replicasFor(request.route);
  const chosen = chooseReplica(replicas.live());
  if (chosen === undefined && replicas.isReturning()) return false;
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
  const chosen = chooseReplica(isSilent ? live.filter((other) => other !== replica) : live);
  if (chosen === undefined) return false;
  if (isSilent) request.silences += 1;
  request.repeats += 1;
  sendAgain(deps, request, chosen);
  return true;
}

/** Sends a request to another replica than the one that did not receive it, to the queue group, or keeps it until there is one. */
function sendElsewhere(
  deps: ResendingDeps,
  request: PendingRequest,
  keep: (requests: readonly PendingRequest[]) => void,
): void {
  const { link, pending, replicasFor } = deps;
  const { replica, route } = request;
  const replicas = replicasFor(route);
  replicas.unreachable(replica);
  const chosen = link.isConnected() ? chooseReplica(replicas.live()) : undefined;
  if (link.isMoving() || (chosen === undefined && replicas.isReturning())) keep([request]);
  else if ((chosen ?? replica) === undefined || !link.isConnected())
    pending.fail(request, new AppError("BUS_NO_RESPONDERS"));
  else sendAgain(deps, request, chosen);
}

/** Without NATS, this process answers what it can of the requests that no other one may answer any more. */
function takeBack({ pending, callHere }: ResendingDeps): void {
  const own = [...pending.sent()].filter(({ route, isUnsent }) => route.isShared && (isUnsent || route.isRepeatable));
  for (const request of own) callHere(request);
}

/** Sends requests a second time, or later. */
export function createResending(deps: ResendingDeps) {
  const { link, pending } = deps;
  let hasWaiting = false;
  /** Keeps requests until a replica is live, or none is expected any more. */
  const keep = (requests: readonly PendingRequest[]): void => {
    pending.assign(requests, undefined);
    for (const request of requests) request.isUnsent = true;
    hasWaiting = true;
  };
  const forNextServer: PendingRequest[] = [];
  /** Keeps requests until the connection has moved to another server. */
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
    takeBack(deps);
  });
  link.onMoveFailed(() => {
    for (const request of takeForNextServer()) pending.fail(request, new AppError("BUS_DISCONNECTED"));
  });

  return {
    keep,
    keepForNextServer,
    /**
     * Sends unanswered requests of repeatable methods to another live replica: those sent to `silent` replicas, at most twice, and those that
     * may be lost because a connection was. They keep their id and their deadline, and the first reply ends them. Requests of any method that
     * no replica has received go to a live one, or to the queue group if none is expected.
     */
    resend: (silent: readonly Replica[]): void => {
      if (!link.isConnected() || link.isMoving() || !(hasWaiting || silent.some(({ outstanding }) => outstanding > 0)))
        return;
      // A copy, because a failed publication removes its request.
      const waiting = [...pending.sent()].filter((request) => !resendIfNeeded(deps, request, silent));
      hasWaiting &&= waiting.some(({ isLost, isUnsent }) => isLost || isUnsent);
    },
    /** Requests that were sent to this replica may be lost. */
    reconnected: (replica: Replica): void => {
      for (const request of pending.sent()) {
        request.isLost ||= request.replica === replica || request.replica === undefined;
      }
      hasWaiting = true;
    },
    /** NATS reported that no process received these requests: another replica gets them, or the queue group. */
    undelivered: (requests: readonly PendingRequest[]): void => {
      for (const request of requests) sendElsewhere(deps, request, link.isMoving() ? keepForNextServer : keep);
    },
  };
}
