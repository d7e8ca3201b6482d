import type { FlushSettings } from "@postern/shared/assembly";
import type { OwnRegion } from "@postern/shared/domain/brute-force";
import type { Bus } from "@postern/shared/platform/bus";
import type { RedisClient, RedisClock } from "@postern/shared/platform/redis";

/** What merging the state of other regions with that of this one needs. */
export interface MergeParts {
  readonly state: RedisClient;
  readonly cache: RedisClient;
  readonly keyPrefix: string;
  readonly bus: Pick<Bus, "publish" | "request">;
  readonly live: { readonly current: FlushSettings };
  /** The clock of Redis. */
  readonly clock: RedisClock;
  readonly region: OwnRegion;
}
