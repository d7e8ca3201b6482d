export interface QueueWatchDeps {
  /** Counts what waits and tells the metrics. */
  readonly count: () => Promise<void>;
  readonly everyMs: number;
}

/** Counts the jobs now and then, for the metrics; while Redis is away the last counts stay. */
export function startQueueWatch({ count, everyMs }: QueueWatchDeps): { stop(): void } {
  let isBusy = false;
  const look = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    try {
      await count();
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
