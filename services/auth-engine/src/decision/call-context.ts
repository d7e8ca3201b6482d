import type { CallerDeadline } from "@postern/shared/platform/concurrency";

/** Deadline and abort signal of a bus call. */
export interface CallContext extends CallerDeadline {
  /** Identifies the request, even if another engine receives it too; absent outside the bus. */
  readonly requestId?: string;
}
