import { type BreakerSettings, type CircuitBreaker, createCircuitBreaker } from "@postern/shared/platform/concurrency";
import type { Clock } from "@postern/shared/platform/time";
import { RefusedAccountError } from "./errors.ts";

/** Structural part of the service's logger. */
export interface ServerLog {
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

export interface ServerAddress {
  /** The name in logs, without credentials. */
  readonly uri: string;
}

/** One server of a pool. Its lookups and binds share breaker and load. */
export interface Target<Address extends ServerAddress = ServerAddress> {
  readonly address: Address;
  readonly breaker: CircuitBreaker;
  /** Operations that the server has not yet answered. */
  inFlight: number;
  /** Its last failure, until it is available again. */
  lastError: unknown;
}

const rank = (target: Target, avoided: Target | undefined): number =>
  (target === avoided ? 2 : 0) + (target.breaker.failures === 0 ? 0 : 1);

/**
 * The servers of one pool and their health.
 *
 * @param of `what`: the kind of the servers, for logs: "LDAP", "SQL"
 */
export function createTargetSet<Address extends ServerAddress>(
  addresses: readonly Address[],
  settings: BreakerSettings,
  of: { readonly what: string; readonly poolName: string; readonly clock: Clock; readonly log: ServerLog },
) {
  const { what, poolName, clock, log } = of;
  const all = addresses.map(
    (address): Target<Address> => ({
      address,
      breaker: createCircuitBreaker(settings, clock),
      inFlight: 0,
      lastError: undefined,
    }),
  );
  const leavingAlone = (target: Target<Address>, error: unknown, count: () => void): void => {
    const before = target.breaker.state();
    const isNew = error instanceof RefusedAccountError && !(target.lastError instanceof RefusedAccountError);
    target.lastError = error;
    count();
    const fields = { pool: poolName, server: target.address.uri, err: error };
    if (isNew) log.warn(fields, `${what} service account refused`);
    if (before === "closed" && target.breaker.state() !== "closed") {
      log.warn(fields, `${what} server is not used after repeated failures`);
    }
  };

  return {
    all,
    /** Targets whose breaker is closed. */
    usable: () => all.filter((target) => target.breaker.state() === "closed"),
    hasHealthyBeside: (target: Target<Address>): boolean =>
      all.some((other) => other !== target && other.breaker.failures === 0 && other.breaker.state() === "closed"),
    /** Order in which to try a new connection: fewest recent failures, fewest connections, least in flight. */
    toConnect: (connections: (target: Target<Address>) => number, avoided?: Target<Address>) =>
      all.toSorted(
        (a, b) => rank(a, avoided) - rank(b, avoided) || connections(a) - connections(b) || a.inFlight - b.inFlight,
      ),
    /** A request failed. A refused service account opens the breaker immediately. */
    noteFailure: (target: Target<Address>, error: unknown): void =>
      leavingAlone(target, error, error instanceof RefusedAccountError ? target.breaker.trip : target.breaker.failed),
    /** A health check failed; connections that are already bound may still serve requests. */
    noteProbeFailure: (target: Target<Address>, error: unknown): void =>
      leavingAlone(target, error, target.breaker.failed),
    noteRecovery: (target: Target<Address>): void => {
      if (target.breaker.state() !== "closed") {
        log.info({ pool: poolName, server: target.address.uri }, `${what} server is available again`);
      }
      target.lastError = undefined;
      target.breaker.recovered();
    },
    /** Why no server can be used. */
    reason: (): Error => {
      const cause = all.map(({ lastError }) => lastError).find((error) => error !== undefined);
      const text = cause instanceof Error ? cause.message : "no failure recorded";
      return new Error(`no server is usable after repeated failures; ${text}`, { cause });
    },
  };
}

export type TargetSet<Address extends ServerAddress = ServerAddress> = ReturnType<typeof createTargetSet<Address>>;
