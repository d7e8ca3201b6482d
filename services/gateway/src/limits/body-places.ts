/** A compressed body of an unauthenticated caller that the gateway is collecting. */
export interface CollectedBody {
  /** Whether its caller is still sending it. */
  readonly isArriving: () => boolean;
  /** Answers its caller in place of the operation. */
  readonly drop: () => void;
}

/** Limits how many bodies are collected concurrently. */
export interface BodyPlaces {
  /** Takes a place, to be released with `leave`; false if there is none. */
  enter(body: CollectedBody): boolean;
  leave(body: CollectedBody): void;
}

/**
 * When all places are taken, the body that has been arriving for longest loses its place. Callers who send slowly therefore take no place from
 * those who do not, however many addresses they have: a body of 64 KiB usually arrives within one round trip.
 */
export function createBodyPlaces(limit: number, onShed: () => void): BodyPlaces {
  /** In the order of their arrival. */
  const bodies = new Set<CollectedBody>();
  const makeRoom = (): boolean => {
    if (bodies.size < limit) return true;
    onShed();
    const slowest = bodies.values().find(({ isArriving }) => isArriving());
    if (slowest === undefined) return false;
    bodies.delete(slowest);
    slowest.drop();
    return true;
  };
  return {
    enter: (body) => {
      const hasRoom = makeRoom();
      if (hasRoom) bodies.add(body);
      return hasRoom;
    },
    leave: (body) => void bodies.delete(body),
  };
}
