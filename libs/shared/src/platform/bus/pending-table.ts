import { createRenewedMap } from "../cache/renewed-map.ts";
import type { Deadlines } from "../concurrency/deadlines.ts";
import { AppError } from "../errors/app-error.ts";
import type { ErrorCode } from "../errors/codes.ts";
import type { BusMetrics } from "./metrics.ts";
import { PendingRequest, type PendingRequestInit, type Settler } from "./pending-request.ts";
import type { Replica } from "./replicas.ts";

export type PendingTable = ReturnType<typeof createPendingTable>;

/** Records that requests go to a replica, or to the queue group; the replica's load follows. `sentAtMs` is absent if they wait for one. */
function assignReplica(requests: readonly PendingRequest[], replica: Replica | undefined, sentAtMs = 0): void {
  for (const request of requests) {
    if (request.replica !== undefined) request.replica.outstanding -= 1;
    request.replica = replica;
    request.sentAtMs = sentAtMs;
  }
  if (replica !== undefined) replica.outstanding += requests.length;
}

export function createPendingTable(deadlines: Deadlines, metrics: BusMetrics) {
  const byId = createRenewedMap<number, PendingRequest>();
  let size = 0;
  let nextId = 1;

  const settle = (request: PendingRequest, failure?: ErrorCode): void => {
    request.settled = true;
    if (request.span !== undefined) request.span.end(failure);
    size -= 1;
    if (request.replica !== undefined) request.replica.outstanding -= 1;
    byId.delete(request.id);
    deadlines.remove(request);
    request.release();
  };

  /** Does nothing if the request has already been answered. */
  const fail = (request: PendingRequest, error: AppError): void => {
    if (request.settled) return;
    settle(request, error.code);
    metrics.requestFailed(error.code);
    request.settler.reject(error);
  };

  const end = (request: PendingRequest, code: ErrorCode): void => fail(request, new AppError(code));

  return {
    size: (): number => size,
    /** Registers a request; it has no id yet. */
    open: (init: PendingRequestInit, settler: Settler, remainingMs: number): PendingRequest => {
      const request = new PendingRequest(init, settler, end);
      size += 1;
      deadlines.insert(request, remainingMs);
      return request;
    },
    /** Gives the requests of a batch consecutive ids and returns the first. */
    number: (batch: readonly PendingRequest[]): number => {
      const firstId = nextId;
      for (const request of batch) {
        request.id = nextId;
        nextId = (nextId + 1) >>> 0;
        byId.set(request.id, request);
      }
      return firstId;
    },
    byId: (id: number): PendingRequest | undefined => byId.get(id),
    assign: assignReplica,
    sent: (): Iterable<PendingRequest> => byId.values(),
    resolve: (request: PendingRequest, value: unknown): void => {
      settle(request);
      request.settler.resolve(value);
    },
    fail,
    failNumbered: (code: ErrorCode): void => {
      for (const request of byId.values()) end(request, code);
    },
  };
}
