import { Suspensions } from "../domain/suspensions/index.ts";
import type { Bus } from "../platform/bus/connect.ts";
import type { Config } from "../platform/config/index.ts";
import type { RedisClient } from "../platform/redis/client.ts";
import type { Clock } from "../platform/time/clock.ts";
import type { Base } from "./base.ts";
import { ownRegionFromConfig } from "./regions-from-config.ts";

export function suspensionsFromConfig(
  config: Config,
  { logger }: Pick<Base, "logger">,
  parts: { readonly redis: RedisClient; readonly bus: Pick<Bus, "publish" | "subscribe">; readonly clock: Clock },
): Suspensions {
  return new Suspensions({
    ...parts,
    keyPrefix: config.storage.redis.prefix,
    region: ownRegionFromConfig(config, parts.redis),
    onRead: (accounts) => logger.info({ accounts }, "suspended accounts read from Redis"),
    onUnread: (err) =>
      logger.warn({ err }, "suspended accounts could not be read: none is known until Redis is available"),
    onStale: () =>
      logger.warn(
        "suspended accounts have not been read from Redis for 10 seconds: those that are known stay suspended",
      ),
    onRestored: (account) =>
      logger.warn({ account }, "Redis had lost the suspension of an account, which has been written again"),
  });
}
