import type { ServerAddress, Target } from "./target.ts";

export interface PooledConnection {
  /** False once it has ended or is known to be broken. */
  readonly isAlive: boolean;
  close(): void;
}

/** A connection in its pool. */
export interface Slot<Connection extends PooledConnection, Address extends ServerAddress> {
  readonly target: Target<Address>;
  readonly connection: Connection;
  inFlight: number;
  /** Accepts no new work, and is closed once it is idle. */
  isRetiring: boolean;
  /** An operation on it timed out; other operations that end with it were not answered either. */
  wentSilent: boolean;
}

type AnySlot = Slot<PooledConnection, ServerAddress>;

/** Least in flight at the server, then on the connection. */
export function isLessLoaded(a: AnySlot, b: AnySlot): boolean {
  if (a.target !== b.target && a.target.inFlight !== b.target.inFlight) return a.target.inFlight < b.target.inFlight;
  return a.inFlight < b.inFlight;
}
