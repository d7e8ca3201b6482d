import type { Clock } from "@postern/shared/platform/time";
import type { FailureKind } from "./errors.ts";
import type { PooledConnection } from "./slot.ts";
import type { ServerAddress, Target } from "./target.ts";
import type { TargetSet } from "./target-set.ts";

export interface ConnectionPoolOptions<Connection extends PooledConnection, Address extends ServerAddress> {
  /** Name of the connections in errors, such as "LDAP lookup connection". */
  readonly label: string;
  readonly targets: TargetSet<Address>;
  readonly size: number;
  readonly idleSize?: number | undefined; // Opened before they are needed, one at each `rebalance`.
  /** Concurrent operations on one connection. */
  readonly capacity: number;
  readonly queueLength: number;
  /** New connections need the service account, so they are not retried continuously while it is refused. */
  readonly needsServiceAccount: boolean;
  /**
   * How long an operation, or the opening of a connection, waits for one server while another one is healthy. For operations that may run on
   * two servers. Default: until its own time limit.
   */
  readonly patienceMs?: number;
  readonly open: (target: Target<Address>, onClose: () => void) => Promise<Connection>;
  readonly classify: (error: unknown) => FailureKind;
  readonly clock: Clock;
}

export interface ConnectionPoolSnapshot {
  readonly connections: number;
  readonly opening: number;
  readonly inFlight: number;
  readonly waiting: number;
}

/** One operation on a connection. */
export type Work<Connection, T> = (connection: Connection) => Promise<T>;

/** Starts an operation. Turns what it throws into a rejection. */
export function begin<Connection, T>(work: Work<Connection, T>, connection: Connection): Promise<T> {
  try {
    return work(connection);
  } catch (error) {
    return Promise.reject(error);
  }
}
