import type { Registration, RegistrationKind } from "./registration.ts";

export interface RegistrationBounds {
  readonly maxRegistrations: number;
  readonly maxPendingPerNetwork: number;
}

export type Added = "added" | "full" | "network_full";

export interface RegistrationPage {
  readonly found: readonly Registration[];
  readonly isLast: boolean;
}

/** The clients that registered themselves. All methods reject with REDIS_UNAVAILABLE when Redis does not respond. */
export interface Registrations {
  /** Stores a registration until its end, unless there are too many of its kind. */
  add(registration: Registration, bounds: RegistrationBounds): Promise<Added>;
  find(id: string): Promise<Registration | undefined>;
  /**
   * Changes a registration as it is now, so that no other change is lost. One that has been used no longer counts as
   * pending. @returns the changed one; undefined if it does not exist
   */
  change(id: string, change: (known: Registration) => Registration): Promise<Registration | undefined>;
  /** @returns whether it existed */
  remove(id: string): Promise<boolean>;
  /** A page, beginning at a position: mail clients, then the others, each in the order of their ends. */
  list(position: number, count: number): Promise<RegistrationPage>;
  /** How many requests for this kind a network has sent within the current minute, including this one. */
  countRequest(kind: RegistrationKind, network: string): Promise<number>;
}
