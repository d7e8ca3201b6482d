import { createHotCache } from "../cache/hot-cache.ts";
import type { Clock } from "../time/clock.ts";

export type PeerClocks = ReturnType<typeof createPeerClocks>;

/** A clock that is set back is recognised after two windows at most. */
const windowMs = 5000;
const maxPeers = 1024;

interface Seen {
  windowStartMs: number;
  smallest: number;
  smallestBefore: number;
}

/**
 * Estimates the offset between a peer's clock and ours, in milliseconds to add to the peer's times.
 *
 * The clocks of two hosts differ, but a deadline is an absolute time. The fastest message of a peer in a window gives the best estimate of
 * the difference; what another message takes longer than that was spent in transit and counts towards its deadline.
 */
export function createPeerClocks(clock: Clock) {
  const peers = createHotCache<Seen>(maxPeers);
  const remember = (peer: string, nowMs: number, offset: number): Seen => {
    const seen = { windowStartMs: nowMs, smallest: offset, smallestBefore: offset };
    peers.set(peer, seen);
    return seen;
  };
  return {
    /** Records that a message which the peer sent at `sentAtMs` (its clock) has arrived now. */
    offsetMs: (peer: string, sentAtMs: number): number => {
      const nowMs = clock.now();
      const offset = nowMs - sentAtMs;
      const seen = peers.get(peer) ?? remember(peer, nowMs, offset);
      if (nowMs - seen.windowStartMs >= windowMs) {
        const missedOne = nowMs - seen.windowStartMs >= 2 * windowMs;
        seen.smallestBefore = missedOne ? offset : seen.smallest;
        seen.smallest = offset;
        seen.windowStartMs = nowMs;
      } else if (offset < seen.smallest) seen.smallest = offset;
      return Math.min(seen.smallest, seen.smallestBefore);
    },
  };
}
