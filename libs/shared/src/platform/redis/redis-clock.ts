import { type Clock, steadyClock, systemClock } from "../time/clock.ts";
import type { RedisClient } from "./client.ts";

export type RedisClock = ReturnType<typeof createRedisClock>;

const roundingMs = 1;

/**
 * The clock of Redis, which all services of a site share. It is measured, so that the wall clock of this host has no influence.
 */
export function createRedisClock({
  redis,
  steadyClock: steady,
  wallClock,
}: {
  readonly redis: Pick<RedisClient, "time">;
  /** Runs evenly; its times need not be right. */
  readonly steadyClock: Clock;
  /** What to believe before the first measurement. */
  readonly wallClock: Clock;
}) {
  let offsetMs = wallClock.now() - steady.now();
  let maxErrorMs = Number.POSITIVE_INFINITY;
  return {
    now: (): number => steady.now() + offsetMs,
    /** Whether `now` is more than what this host's wall clock said at the start. */
    isMeasured: (): boolean => Number.isFinite(maxErrorMs),
    /** @throws Error when Redis does not answer */
    measure: async (): Promise<void> => {
      const sentMs = steady.now();
      const [seconds, microseconds] = await redis.time();
      // Redis read its clock at some time between the command and the answer, and both clocks are read in whole milliseconds.
      const halfMs = (steady.now() - sentMs) / 2;
      const errorMs = halfMs + roundingMs;
      const measuredMs = Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000) - sentMs - Math.floor(halfMs);
      // A slow measurement that agrees with a faster one is less accurate than it.
      const agrees = Math.abs(measuredMs - offsetMs) <= errorMs + maxErrorMs;
      if (agrees && errorMs > maxErrorMs) return;
      offsetMs = measuredMs;
      maxErrorMs = errorMs;
    },
  };
}

/** A host that replaces Redis may have another clock, and the clock of Redis can be set. */
const measureEveryMs = 10_000;

/** Measures when the client has connected, and from then on regularly. Without Redis, the last measurement counts. */
export function watchRedisClock(redis: Pick<RedisClient, "time" | "on" | "status">): RedisClock {
  const clock = createRedisClock({ redis, steadyClock, wallClock: systemClock });
  const measure = (): void => void clock.measure().catch(() => undefined);
  redis.on("ready", measure);
  // It may have connected while the rest of the service was being built.
  if (redis.status === "ready") measure();
  setInterval(measure, measureEveryMs).unref();
  return clock;
}
