import type { Base, EngineBus, FlushSettings } from "@postern/shared/assembly";
import type { RedisClient } from "@postern/shared/platform/redis";
import type { WorkerMetrics } from "../metrics.ts";

/** What the other parts of a worker are made of. */
export interface WorkerParts extends Base, EngineBus {
  readonly live: { current: FlushSettings };
  readonly redis: {
    readonly state: RedisClient;
    readonly cache: RedisClient;
    readonly queue: RedisClient;
    /** Also of the role `queue`; used for blocking commands. */
    readonly jobsBlocking: RedisClient;
    /** Also of the role `queue`, for user notifications; undefined if `identity.notices.enabled` is off. */
    readonly notificationsBlocking: RedisClient | undefined;
  };
  readonly workerMetrics: WorkerMetrics;
}
