import type { Clock } from "../time/clock.ts";

/** Milliseconds to add to a peer's times to have them in ours. */
export interface PeerClocks {
  /** Takes in that a message of the peer, sent at this time of its clock, arrives now. */
  offsetMs(peer: string, sentAtMs: number): number;
}

/** A clock that is set back is believed after two windows at the latest. */
const windowMs = 5000;
const maxPeers = 1024;

interface Seen {
  windowStartMs: number;
  smallest: number;
  smallestBefore: number;
}

/**
 * Two hosts never agree on the time, and a deadline is a time. Of all messages of a peer the fastest shows the
 * difference of the clocks best; what a message takes longer than that one was spent waiting on the way, and counts.
 */
export function createPeerClocks(clock: Clock): PeerClocks {
  const peers = new Map<string, Seen>();
  const remember = (peer: string, nowMs: number, offset: number): Seen => {
    const [oldest] = peers.keys();
    if (peers.size >= maxPeers && oldest !== undefined) peers.delete(oldest);
    const seen = { windowStartMs: nowMs, smallest: offset, smallestBefore: offset };
    peers.set(peer, seen);
    return seen;
  };
  return {
    offsetMs(peer, sentAtMs) {
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
