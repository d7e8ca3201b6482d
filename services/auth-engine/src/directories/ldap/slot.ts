import type { LdapConnection } from "./client.ts";
import type { Target } from "./target.ts";

/** A connection in its pool. */
export interface Slot {
  readonly target: Target;
  readonly connection: LdapConnection;
  inFlight: number;
  /** Takes no more work; closed as soon as it has none. */
  isRetiring: boolean;
  /** An operation timed out on it; those that end with it were not answered either. */
  wentSilent: boolean;
}

/** Least in flight at the server, then on the connection. */
export function isLessLoaded(a: Slot, b: Slot): boolean {
  if (a.target !== b.target && a.target.inFlight !== b.target.inFlight) return a.target.inFlight < b.target.inFlight;
  return a.inFlight < b.inFlight;
}
