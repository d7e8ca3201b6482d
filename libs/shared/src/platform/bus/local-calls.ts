import { AppError } from "../errors/app-error.ts";
import type { ErrorCode } from "../errors/codes.ts";
import { type CallsDeps, type Endpoint, type InFlight, refusalOf, traced } from "./calls.ts";
import { InFlightCall } from "./in-flight-call.ts";
import type { PendingRequest } from "./pending-request.ts";
import type { PendingTable } from "./pending-table.ts";

/** A request of this process, and where it is settled. */
export interface LocalRequest {
  readonly value: unknown;
  readonly request: PendingRequest;
  readonly pending: PendingTable;
  /** With the inbox, its id among the requests of all processes. */
  readonly id: number;
  readonly inbox: string;
}

export type LocalCalls = ReturnType<typeof createLocalCalls>;

/** Handles the requests for one endpoint that services of this process make. */
export function createLocalCalls(
  deps: CallsDeps,
  endpoint: Endpoint,
  handleValue: NonNullable<Endpoint["handle"]>,
  inFlight: InFlight,
) {
  const { metrics } = deps;
  const refusal = refusalOf(deps, endpoint);
  /** Resolves to the code of the error with which the request ended, if any. */
  const handle = async (
    call: InFlightCall,
    { value, request, pending }: LocalRequest,
  ): Promise<ErrorCode | undefined> => {
    let failure: AppError | undefined;
    let result: unknown;
    try {
      result = await handleValue(value, call);
    } catch (thrown) {
      failure = refusal(thrown);
    }
    call.finish();
    if (request.settled) metrics.counted("late_reply");
    else if (failure === undefined) pending.resolve(request, result);
    else pending.fail(request, failure);
    inFlight.end();
    return failure?.code;
  };
  const inTrace = traced(deps, endpoint, "inproc");
  return {
    isFull: (): boolean => inFlight.isFull,
    /** Handles a request or rejects it immediately; never throws. */
    call: (local: LocalRequest): void => {
      const { request, pending, id, inbox } = local;
      if (inFlight.isFull) {
        metrics.counted("overloaded");
        pending.fail(request, new AppError("OVERLOADED"));
        return;
      }
      inFlight.begin();
      const call = new InFlightCall(id, request.deadlineMs, inbox, deps);
      if (request.span === undefined) void handle(call, local);
      else void inTrace(() => handle(call, local), request.span.traceparent);
    },
  };
}
