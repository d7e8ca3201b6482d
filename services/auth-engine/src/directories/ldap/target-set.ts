import type { Clock } from "@postern/shared/time";
import { createCircuitBreaker } from "./circuit-breaker.ts";
import { ServiceBindError } from "./errors.ts";
import { parseServerUri } from "./server-uri.ts";
import type { LdapBreakerSettings } from "./settings.ts";
import type { Target } from "./target.ts";

/** Structural part of the service's logger. */
export interface LdapLog {
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

export interface TargetSetDeps {
  readonly poolName: string;
  readonly clock: Clock;
  readonly log: LdapLog;
}

/** The servers of one pool and what is known of their health. */
export interface TargetSet {
  readonly all: readonly Target[];
  /** Those whose breaker is closed. */
  usable(): readonly Target[];
  hasHealthyBeside(target: Target): boolean;
  /** Order in which to try a new connection: fewest recent failures, fewest connections, least in flight. */
  toConnect(connections: (target: Target) => number, avoided?: Target): readonly Target[];
  /** A request could not be served. A refused service account opens the breaker at once. */
  noteFailure(target: Target, error: unknown): void;
  /** A health check failed; requests on connections that are bound already may still be served. */
  noteProbeFailure(target: Target, error: unknown): void;
  noteRecovery(target: Target): void;
  /** Why nobody may be asked. */
  reason(): Error;
}

const rank = (target: Target, avoided: Target | undefined): number =>
  (target === avoided ? 2 : 0) + (target.breaker.failures === 0 ? 0 : 1);

/** Throws `CONFIG_INVALID` for what is no server URI. */
export function createTargetSet(
  uris: readonly string[],
  settings: LdapBreakerSettings,
  { poolName, clock, log }: TargetSetDeps,
): TargetSet {
  const all = uris.map(
    (uri): Target => ({
      address: parseServerUri(uri),
      breaker: createCircuitBreaker(settings, clock),
      inFlight: 0,
      lastError: undefined,
    }),
  );
  const leavingAlone = (target: Target, error: unknown, count: () => void): void => {
    const before = target.breaker.state();
    const isNew = error instanceof ServiceBindError && !(target.lastError instanceof ServiceBindError);
    target.lastError = error;
    count();
    const fields = { pool: poolName, server: target.address.uri, err: error };
    if (isNew) log.warn(fields, "LDAP service account refused");
    if (before === "closed" && target.breaker.state() !== "closed") {
      log.warn(fields, "LDAP server left alone after failures");
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
      leavingAlone(target, error, error instanceof ServiceBindError ? target.breaker.trip : target.breaker.failed),
    noteProbeFailure: (target, error) => leavingAlone(target, error, target.breaker.failed),
    noteRecovery: (target) => {
      if (target.breaker.state() !== "closed") {
        log.info({ pool: poolName, server: target.address.uri }, "LDAP server is back");
      }
      target.lastError = undefined;
      target.breaker.recovered();
    },
    reason: () => {
      const cause = all.map(({ lastError }) => lastError).find((error) => error !== undefined);
      const text = cause instanceof Error ? cause.message : "no failure on record";
      return new Error(`every server is left alone after failures; ${text}`, { cause });
    },
  };
}
