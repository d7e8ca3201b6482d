import { type Static, Type } from "typebox";
import { Value } from "typebox/value";
import { parsedJson } from "../../platform/json/index.ts";
import type { RedisClient } from "../../platform/redis/client.ts";
import { decidedInRedis } from "../../platform/redis/decided.ts";
import { regionStatusKey } from "../../platform/redis/keys/regions.ts";
import { together } from "../../platform/redis/together.ts";
import type { Clock } from "../../platform/time/clock.ts";

/**
 * Why a message of another region was not applied. `unauthentic`: its seal cannot be opened; `malformed`: it opens, but has no known form;
 * `oversized`: it exceeds a limit; `unknown`: a newer version sent it; `failed`: applying it failed although Redis answered.
 */
export const dropReasons = ["unauthentic", "malformed", "oversized", "unknown", "failed"] as const;
export type DropReason = (typeof dropReasons)[number];

const count = Type.Integer({ minimum: 0 });
const timeMs = Type.Number({ description: "Milliseconds since the epoch, by the clock of this region's Redis." });

/** What this region knows about a peer. Counts are those since the peer was first met, or since it was forgotten. */
export const RegionStatus = Type.Object({
  name: Type.String(),
  link: Type.Enum(["up", "down"]),
  /** When the link became so. */
  sinceMs: timeMs,
  /** Of the newest entry that was applied: from its writing there to its effect here. Absent before the first one. */
  lagMs: Type.Optional(count),
  /** When the peer last answered. */
  lastMessageMs: Type.Optional(timeMs),
  /** Entries of the peer that are not yet applied here. While the link is down, as many as were known. */
  waiting: count,
  applied: count,
  /** By reason. */
  dropped: Type.Record(Type.String(), count),
  /** Where reading the peer's log continues: log id, sequence. Absent before the first snapshot. */
  position: Type.Optional(Type.String()),
  /** When the peer's whole state was last taken. */
  snapshotMs: Type.Optional(timeMs),
});
export type RegionStatus = Readonly<Static<typeof RegionStatus>>;

/** The worker writes every second. A status that is older describes nothing that still runs. */
const silenceMs = 15_000;
/** No name of a region contains a colon. */
const forgetPrefix = "forget:";
const writtenField = "written:ms";

const decided = decidedInRedis("the status of the regions cannot be read or written");

function parse(stored: string): RegionStatus | undefined {
  const value = parsedJson(stored);
  return Value.Check(RegionStatus, value) ? value : undefined;
}

/**
 * What jobs-worker knows about the other regions, for admin. All methods throw AppError `REDIS_UNAVAILABLE` if Redis cannot answer.
 * @param clock that of Redis
 */
export function createRegionStatuses(redis: RedisClient, keyPrefix: string, clock: Clock) {
  const key = regionStatusKey.build(keyPrefix);
  return {
    /** @returns names that operators want forgotten: the worker removes what it holds of them, then calls `forgotten` */
    write: (statuses: readonly RegionStatus[]): Promise<readonly string[]> =>
      decided(async () => {
        const fields = statuses.flatMap((status) => [status.name, JSON.stringify(status)]);
        const writtenMs = Math.floor(clock.now());
        await together(
          redis
            .multi()
            .hset(key, writtenField, writtenMs, ...fields)
            .expire(key, regionStatusKey.ttlSeconds),
        );
        const names = Object.keys(await redis.hgetall(key));
        return names.filter((name) => name.startsWith(forgetPrefix)).map((name) => name.slice(forgetPrefix.length));
      }),
    /** The worker has removed what it held of the region. Its status returns with the next `write`, if it is still a peer. */
    forgotten: (name: string): Promise<void> =>
      decided(async () => void (await redis.hdel(key, name, forgetPrefix + name))),
    /** An operator wants the region forgotten. */
    forget: (name: string): Promise<void> =>
      decided(() =>
        together(
          redis
            .multi()
            .hset(key, forgetPrefix + name, Math.floor(clock.now()))
            .expire(key, regionStatusKey.ttlSeconds),
        ),
      ),
    /** `isSilent`: no worker has written for some time. */
    read: () =>
      decided(async () => {
        const { [writtenField]: writtenMs, ...fields } = await redis.hgetall(key);
        const known = Object.entries(fields).flatMap(([name, text]) => {
          const status = name.startsWith(forgetPrefix) ? undefined : parse(text);
          return status === undefined ? [] : [status];
        });
        return {
          isSilent: writtenMs === undefined || clock.now() - Number(writtenMs) > silenceMs,
          regions: known.map((status) => ({ ...status, isForgetting: forgetPrefix + status.name in fields })),
        };
      }),
  };
}

export type RegionStatuses = ReturnType<typeof createRegionStatuses>;
