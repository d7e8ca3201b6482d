import type { RedisClient } from "../../platform/redis/client.ts";
import { decidedInRedis } from "../../platform/redis/decided.ts";
import { regionSessionEndsKey } from "../../platform/redis/keys/regions.ts";
import { together } from "../../platform/redis/together.ts";

/** Sessions that an account had at a time, in milliseconds since the epoch by the clock of this region's Redis. */
export interface SessionEnd {
  readonly account: string;
  readonly untilMs: number;
}

const decided = decidedInRedis("what other regions have ended cannot be read or written");

const fieldOf = ({ account, untilMs }: SessionEnd): string => `${Math.ceil(untilMs)} ${account}`;

/**
 * What jobs-worker hands to idp, which may be stopped at the moment: nothing behind it waits for idp. All methods throw AppError
 * `REDIS_UNAVAILABLE` if Redis cannot answer.
 */
export function createSessionEnds(redis: RedisClient, keyPrefix: string) {
  const key = regionSessionEndsKey.build(keyPrefix);
  return {
    order: (end: SessionEnd): Promise<void> =>
      decided(() => together(redis.multi().hset(key, fieldOf(end), "").expire(key, regionSessionEndsKey.ttlSeconds))),
    list: (): Promise<readonly SessionEnd[]> =>
      decided(async () =>
        Object.keys(await redis.hgetall(key)).flatMap((field) => {
          const [, time = "", account] = /^(\d+) (.+)$/su.exec(field) ?? [];
          return account === undefined ? [] : [{ account, untilMs: Number(time) }];
        }),
      ),
    done: (end: SessionEnd): Promise<void> => decided(async () => void (await redis.hdel(key, fieldOf(end)))),
  };
}

export type SessionEnds = ReturnType<typeof createSessionEnds>;
