/** Contract, "Limits": process-wide concurrency of backchannel auth callers. Nobody waits: above the limit is "no". */
export interface ConcurrencyGate {
  /** Takes a place, to be given back by `leave`; false when there is none. */
  enter(): boolean;
  leave(): void;
  readonly inside: number;
}

export function createConcurrencyGate(limit: number, onShed: () => void): ConcurrencyGate {
  let inside = 0;
  return {
    enter: () => {
      if (inside >= limit) {
        onShed();
        return false;
      }
      inside += 1;
      return true;
    },
    leave: () => {
      inside -= 1;
    },
    get inside() {
      return inside;
    },
  };
}
