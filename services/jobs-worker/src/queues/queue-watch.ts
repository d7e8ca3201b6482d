export interface QueueWatchDeps {
  /** Counts the queued jobs and updates the metrics. */
  readonly count: () => Promise<void>;
  readonly everyMs: number;
}

/** Counts jobs periodically for the metrics; while Redis is unavailable, the last counts remain. */
export function startQueueWatch({ count, everyMs }: QueueWatchDeps): { stop(): void } {
  let isBusy = false;
  const look = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    try {
      await count();
    } catch {
      // The health check reports that Redis is unavailable.
    } finally {
      isBusy = false;
    }
  };
  const timer = setInterval(() => void look(), everyMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
