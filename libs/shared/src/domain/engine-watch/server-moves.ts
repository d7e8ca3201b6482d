export type ServerMoves = ReturnType<typeof createServerMoves>;

/** Engines that start together with this process are heard by then. */
const firstMs = 5000;
/** After this time without an engine, requests no longer wait for a move, which NATS or a busy host may delay. */
const decidedWithinMs = 5000;
const shortestPauseMs = 1000;
const longestPauseMs = 60_000;

export interface ProbeRow {
  /** Time without a sign of an engine after which a round trip is needed. */
  readonly suspiciousAfterMs: number;
  /** Longest round trip that counts as prompt. */
  readonly promptMs: number;
  /** Prompt round trips that are proof. */
  readonly probes: number;
}

/**
 * Decides when to leave a server of NATS at which no engine is heard. A server that has just returned to its cluster, or whose routes to the
 * other servers hang, accepts clients and answers them promptly, but delivers neither heartbeats nor requests: the engines at other servers
 * are alive, and this process would report temporary failures until the routes are back, with NATS's own settings for many seconds.
 *
 * The proof is, as in `engine-silence.ts`, a number of prompt round trips to the server without a heartbeat. A late one does not count, but
 * does not start the count again either, because a move too many does little harm. Answers of NATS itself, such as that no engine is subscribed,
 * are not signs of an engine here. If no engine is heard at the next server either, the pauses between moves grow, so
 * that a site whose engines are all gone does not keep reconnecting.
 *
 * @param nowMs monotonic time
 */
export function createServerMoves(nowMs: () => number, row: ProbeRow) {
  let lastHeardMs = Number.NEGATIVE_INFINITY;
  let hasHeard = false;
  let notBeforeMs = nowMs() + firstMs;
  let pauseMs = shortestPauseMs;
  let probes = 0;
  const isFirst = (): boolean => hasHeard && pauseMs === shortestPauseMs;
  /** Whether a round trip to NATS is needed now. */
  const suspicious = (): boolean => nowMs() >= notBeforeMs && nowMs() - lastHeardMs >= row.suspiciousAfterMs;
  return {
    /** Records a heartbeat, or an engine's answer. */
    heard: (): void => {
      hasHeard = true;
      lastHeardMs = nowMs();
      notBeforeMs = lastHeardMs;
      pauseMs = shortestPauseMs;
      probes = 0;
    },
    suspicious,
    /** Records the end of that round trip (`undefined` if it failed); returns true if it is time to move. */
    probed: (tookMs: number | undefined): boolean => {
      if (!suspicious()) return false;
      if (tookMs === undefined) probes = 0;
      else if (tookMs <= row.promptMs) probes += 1;
      return probes >= row.probes;
    },
    /** Whether engines that were heard at this server, and no longer are, may be found by a move that is about to be decided. */
    isAhead: (): boolean => suspicious() && isFirst() && nowMs() - lastHeardMs < decidedWithinMs,
    /** Records a move; returns whether it is the first one since an engine was heard. */
    moved: (): boolean => {
      const wasFirst = isFirst();
      probes = 0;
      notBeforeMs = nowMs() + pauseMs;
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
      return wasFirst;
    },
  };
}
