import { createRenewedSet } from "@postern/shared/platform/cache";
import { createCircuitBreaker } from "@postern/shared/platform/concurrency";
import type { Logger } from "@postern/shared/platform/logging";
import { type Clock, steadyClock } from "@postern/shared/platform/time";
import type { BruteForceSettings } from "./brute-force-settings.ts";

interface RedisGuardDeps {
  readonly timeoutMs: number;
  readonly retryMs: number;
  /** A write that tests whether Redis is available again. */
  readonly probe: () => Promise<unknown>;
  readonly onUnavailable: (reason: unknown) => void;
  /** Redis answered, but a key has a type that the engine does not write. Other keys can be read. */
  readonly onWrongType: (reason: unknown) => void;
  readonly onAvailable: () => void;
}

interface Waiting {
  readonly sinceMs: number;
  readonly resolve: (answer: undefined) => void;
}

/** One timer for all waiting calls, instead of one for each decision. */
function createWaitingRoom(timeoutMs: number, onOverdue: (reason: unknown) => void) {
  const waiting = createRenewedSet<Waiting>();
  let timer: NodeJS.Timeout | undefined;
  const oldestIsOverdue = (): boolean => {
    for (const { sinceMs } of waiting) return performance.now() - sinceMs >= timeoutMs;
    return false;
  };
  const giveUp = (reason: unknown): void => {
    onOverdue(reason);
    for (const one of waiting) {
      waiting.delete(one);
      one.resolve(undefined);
    }
  };
  const endOverdue = (): void => {
    timer = undefined;
    // An answer that arrived while this process was busy is read before it counts as late.
    if (oldestIsOverdue()) {
      setImmediate(() => {
        if (oldestIsOverdue()) giveUp(new Error(`no answer within ${timeoutMs} ms`));
        arm();
      });
    } else arm();
  };
  const arm = (): void => {
    if (timer === undefined && waiting.size > 0) timer = setTimeout(endOverdue, Math.max(5, timeoutMs / 4));
  };
  return {
    enter: (one: Waiting): void => {
      waiting.add(one);
      arm();
    },
    leave: (one: Waiting): void => waiting.delete(one),
  };
}

/** A script that meets such a key ends with this error too. */
function isWrongType(reason: unknown): boolean {
  return reason instanceof Error && reason.message.includes("WRONGTYPE");
}

export type RedisGuard = ReturnType<typeof createRedisGuard>;

/** Keeps decisions from waiting for an unavailable Redis: dead, hung or failing over. */
export function createRedisGuard(deps: RedisGuardDeps) {
  const { timeoutMs, retryMs, probe, onUnavailable, onWrongType, onAvailable } = deps;
  const breaker = createCircuitBreaker({ failureThreshold: 1, cooldownMs: retryMs, halfOpenMax: 1 }, steadyClock);
  const isUnavailable = (): boolean => breaker.state() !== "closed";
  const leave = (reason: unknown): void => {
    if (!isUnavailable()) onUnavailable(reason);
    breaker.failed();
  };
  const room = createWaitingRoom(timeoutMs, leave);
  const tryAgain = (): void => {
    if (!breaker.tryPass()) return;
    void probe().then(() => {
      breaker.recovered();
      onAvailable();
    }, leave);
  };
  return {
    get isUnavailable(): boolean {
      return isUnavailable();
    },
    /** The answer of Redis, or undefined: immediately if Redis is known to be unavailable, otherwise within the timeout. */
    run: <T>(ask: () => Promise<T>): Promise<T | undefined> => {
      if (isUnavailable()) {
        tryAgain();
        return Promise.resolve(undefined);
      }
      return new Promise((resolve) => {
        const one: Waiting = { sinceMs: performance.now(), resolve };
        room.enter(one);
        ask().then(
          (answer) => {
            room.leave(one);
            resolve(answer);
          },
          (reason: unknown) => {
            if (isWrongType(reason)) onWrongType(reason);
            else leave(reason);
            room.leave(one);
            resolve(undefined);
          },
        );
      });
    },
  };
}

type Mode = BruteForceSettings["withoutRedis"]["mode"];

const unavailable: Readonly<Record<Mode, string>> = {
  degrade: "Redis is unavailable: this engine counts failures in memory",
  tempfail: "Redis is unavailable: sign-ins are temporary failures until it is available again",
};

const quietMs = 60_000;

/** Log lines about Redis that brute-force protection writes: when it becomes unavailable or available, and about invalid keys. */
export function createRedisLog(logger: Pick<Logger, "error" | "info">, mode: Mode, clock: Clock) {
  let quietUntilMs = 0;
  return {
    /** Logs at most once a minute, because each sign-in that reads the key meets it. */
    wrongType: (err: unknown): void => {
      if (clock.now() < quietUntilMs) return;
      quietUntilMs = clock.now() + quietMs;
      logger.error({ err }, "a key in Redis has an unexpected type and cannot be read");
    },
    unavailable: (err: unknown): void => logger.error({ err, mode }, unavailable[mode]),
    available: (): void => logger.info("Redis is available again: failures are counted in Redis"),
  };
}
