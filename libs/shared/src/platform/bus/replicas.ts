/**
 * One replica of a service, as its clients know it from its heartbeats. It serves its methods on its own subjects too (`methodAt`), and counts
 * a request once that another one received as well.
 */
export interface Replica {
  readonly instance: string;
  /** Requests of this process that it has not answered. The bus keeps this number. */
  outstanding: number;
}

export interface LiveReplicas {
  /** The replicas to which new requests may go. */
  readonly live: () => readonly Replica[];
  /**
   * Whether none is live because of a connection that was just lost, so that one is expected soon and requests wait for it. Otherwise, and
   * while none is live, they go to the queue group.
   */
  readonly isReturning: () => boolean;
  /** NATS has no subscription of this replica, or of any (`undefined`). */
  readonly unreachable: (replica: Replica | undefined) => void;
}

/**
 * Chooses two replicas at random, and of them the one with fewer requests of ours: close to the best balance, without the herd of clients that all
 * choose the idlest.
 */
export function chooseReplica(live: readonly Replica[]): Replica | undefined {
  const count = live.length;
  const first = Math.floor(Math.random() * count);
  const one = live[first];
  if (one === undefined || count < 2) return one;
  const other = live[(first + 1 + Math.floor(Math.random() * (count - 1))) % count];
  return other !== undefined && other.outstanding < one.outstanding ? other : one;
}
