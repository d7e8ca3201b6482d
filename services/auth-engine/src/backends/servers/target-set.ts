import type { Clock } from "@postern/shared/platform/time";
import { type BreakerSettings, createCircuitBreaker } from "./circuit-breaker.ts";
import { RefusedAccountError } from "./errors.ts";
import type { ServerAddress, Target } from "./target.ts";

/** Structural part of the service's logger. */
export interface ServerLog {
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

export interface TargetSetDeps {
  /** Kind of the servers, for logs: "LDAP", "SQL". */
  readonly what: string;
  readonly poolName: string;
  readonly clock: Clock;
  readonly log: ServerLog;
}

/** The servers of one pool and their health. */
export interface TargetSet<Address extends ServerAddress = ServerAddress> {
  readonly all: readonly Target<Address>[];
  /** Targets whose breaker is closed. */
  usable(): readonly Target<Address>[];
  hasHealthyBeside(target: Target<Address>): boolean;
  /** Order in which to try a new connection: fewest recent failures, fewest connections, least in flight. */
  toConnect(connections: (target: Target<Address>) => number, avoided?: Target<Address>): readonly Target<Address>[];
  /** A request failed. A refused service account opens the breaker immediately. */
  noteFailure(target: Target<Address>, error: unknown): void;
  /** A health check failed; connections that are already bound may still serve requests. */
  noteProbeFailure(target: Target<Address>, error: unknown): void;
  noteRecovery(target: Target<Address>): void;
  /** Why no server can be used. */
  reason(): Error;
}

const rank = (target: Target, avoided: Target | undefined): number =>
  (target === avoided ? 2 : 0) + (target.breaker.failures === 0 ? 0 : 1);

export function createTargetSet<Address extends ServerAddress>(
  addresses: readonly Address[],
  settings: BreakerSettings,
  { what, poolName, clock, log }: TargetSetDeps,
): TargetSet<Address> {
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
    usable: () => all.filter((target) => target.breaker.state() === "closed"),
    hasHealthyBeside: (target) =>
      all.some((other) => other !== target && other.breaker.failures === 0 && other.breaker.state() === "closed"),
    toConnect: (connections, avoided) =>
      all.toSorted(
        (a, b) => rank(a, avoided) - rank(b, avoided) || connections(a) - connections(b) || a.inFlight - b.inFlight,
      ),
    noteFailure: (target, error) =>
      leavingAlone(target, error, error instanceof RefusedAccountError ? target.breaker.trip : target.breaker.failed),
    noteProbeFailure: (target, error) => leavingAlone(target, error, target.breaker.failed),
    noteRecovery: (target) => {
      if (target.breaker.state() !== "closed") {
        log.info({ pool: poolName, server: target.address.uri }, `${what} server is available again`);
      }
      target.lastError = undefined;
      target.breaker.recovered();
    },
    reason: () => {
      const cause = all.map(({ lastError }) => lastError).find((error) => error !== undefined);
      const text = cause instanceof Error ? cause.message : "no failure recorded";
      return new Error(`no server is usable after repeated failures; ${text}`, { cause });
    },
  };
}
