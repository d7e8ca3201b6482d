import type { JobRecord, SystemReport } from "@postern/shared/contracts";

export interface QueueStates {
  readonly queues: SystemReport["queues"];
  readonly jobs: readonly JobRecord[];
}

/** Never rejects: what cannot be read is `unknown`. */
export type ReadQueues = () => Promise<QueueStates>;
