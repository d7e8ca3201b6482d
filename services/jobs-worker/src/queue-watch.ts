import type { JobCounts } from "@postern/shared/jobs";

export interface QueueWatchDeps {
  readonly count: () => Promise<JobCounts>;
  readonly counted: (counts: JobCounts) => void;
  readonly everyMs: number;
}

/** Counts the jobs now and then, for the metrics; while Redis is away the last counts stay. */
export function startQueueWatch({ count, counted, everyMs }: QueueWatchDeps): { stop(): void } {
  let isBusy = false;
  const look = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    try {
      counted(await count());
    } catch {
      // The health check tells that Redis is away.
    } finally {
      isBusy = false;
    }
  };
  const timer = setInterval(() => void look(), everyMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
