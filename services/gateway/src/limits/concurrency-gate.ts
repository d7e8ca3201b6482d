/** Limits the concurrent authentication requests of a process. Requests above the limit are rejected, not queued. */
export interface ConcurrencyGate {
  /** Takes a slot, to be released with `leave`; false if there is none. */
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
