import { fromUnknown, logFields } from "@postern/shared/platform/errors";
import type { Logger } from "@postern/shared/platform/logging";
import type { WorkerMetrics } from "../metrics.ts";
import type { JobEvents } from "./job-worker.ts";

interface JobEventDeps {
  readonly logger: Logger;
  readonly workerMetrics: WorkerMetrics;
}

/** Logs and counts what happens to jobs. */
export function createJobEvents({ logger, workerMetrics }: JobEventDeps): JobEvents {
  return {
    ended: ({ id, type }, result, seconds) => {
      workerMetrics.ended(type, result, seconds);
      if (result === "failed") logger.error({ jobId: id, type }, "job failed permanently");
      else logger.info({ jobId: id, type, seconds }, "job done");
    },
    retried: ({ id, type }, error) => {
      workerMetrics.retried(type);
      logger.warn({ jobId: id, type, ...logFields(fromUnknown(error)) }, "job failed and will be retried");
    },
    stalled: (jobId) => {
      workerMetrics.stalled();
      logger.warn({ jobId }, "job was abandoned by its worker and is queued again");
    },
    error: (err) => logger.warn({ err }, "an error in the job queue; the worker continues"),
  };
}
