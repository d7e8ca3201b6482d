import type { Clock } from "@postern/shared/platform/time";

/** What customers see: no names, no numbers, no causes. */
export interface PublicStatus {
  /** The minute since which sign-in has not worked for every user, in epoch milliseconds; undefined while it works. */
  readonly degradedSinceMs: number | undefined;
}

export interface StatusWatch {
  /** Waits only until the first observation after the start. */
  readonly current: () => Promise<PublicStatus>;
  readonly close: () => void;
}

export interface StatusWatchDeps {
  /** Resolves to whether sign-in works, within seconds. */
  readonly observe: () => Promise<boolean>;
  readonly clock: Clock;
  /** Between the end of one observation and the next. */
  readonly everyMs: number;
}

const minuteMs = 60_000;

/**
 * Counts observations. A failure must repeat itself, so that one slow answer of a busy process is not published; the time is that of its
 * first observation. The first observation after the start counts alone.
 */
export function createStatusCount(clock: Clock): { add: (works: boolean) => void; status: () => PublicStatus } {
  let failingSinceMs: number | undefined;
  let seen = 0;
  let failures = 0;
  return {
    add(works) {
      failures = works ? 0 : failures + 1;
      if (works) failingSinceMs = undefined;
      else failingSinceMs ??= Math.floor(clock.now() / minuteMs) * minuteMs;
      seen = Math.min(seen + 1, 2);
    },
    status: () => ({ degradedSinceMs: failures >= 2 || seen === 1 ? failingSinceMs : undefined }),
  };
}

/** Observes at a fixed interval, so that requests for the status, however many arrive, cause no observation. */
export function watchStatus({ observe, clock, everyMs }: StatusWatchDeps): StatusWatch {
  const count = createStatusCount(clock);
  const first = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const round = async (): Promise<void> => {
    count.add(await observe().catch(() => false));
    first.resolve();
    if (!isClosed) timer = setTimeout(() => void round(), everyMs).unref();
  };
  void round();
  return {
    current: async () => {
      await first.promise;
      return count.status();
    },
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
