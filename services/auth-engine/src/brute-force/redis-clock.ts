import type { RedisClient } from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";

/** The clock of Redis, which decides when bans end. It is measured, so that the wall clock of this host has no influence. */
export interface RedisClock extends Clock {
  /** @throws Error when Redis does not answer */
  measure(): Promise<void>;
}

export interface RedisClockDeps {
  readonly redis: Pick<RedisClient, "time">;
  /** Runs evenly; its times need not be right. */
  readonly steadyClock: Clock;
  /** What to believe before the first measurement. */
  readonly wallClock: Clock;
}

export function createRedisClock({ redis, steadyClock, wallClock }: RedisClockDeps): RedisClock {
  let offsetMs = wallClock.now() - steadyClock.now();
  return {
    now: () => steadyClock.now() + offsetMs,
    measure: async () => {
      const sentMs = steadyClock.now();
      const [seconds, microseconds] = await redis.time();
      const tookMs = steadyClock.now() - sentMs;
      offsetMs = Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000) - sentMs - Math.floor(tookMs / 2);
    },
  };
}
