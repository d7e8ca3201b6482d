import { regionLogFromConfig } from "@postern/shared/assembly";
import { sessionsEndedElsewhere } from "@postern/shared/contracts";
import { createSessionEnds } from "@postern/shared/domain/regions";
import type { Bus } from "@postern/shared/platform/bus";
import type { Config } from "@postern/shared/platform/config";
import type { Logger } from "@postern/shared/platform/logging";
import type { RedisClient } from "@postern/shared/platform/redis";
import type { SessionStore } from "../sessions/session-store-redis.ts";
import type { SingleLogout } from "../sessions/single-logout.ts";
import { createEndOrdered } from "./end-ordered.ts";

interface RegionParts {
  readonly redis: RedisClient;
  readonly bus: Pick<Bus, "subscribe">;
  readonly sessions: SessionStore | undefined;
  readonly singleLogout: SingleLogout | undefined;
  readonly logger: Logger;
}

/** The event may get lost. */
const everyMs = 5000;

/** What users and other regions end. Without other regions, neither has an effect. */
export function createRegionSessions(config: Config, { redis, bus, sessions, singleLogout, logger }: RegionParts) {
  const log = regionLogFromConfig(config, redis);
  if (log !== undefined && sessions !== undefined) {
    const ends = createSessionEnds(redis, config.storage.redis.prefix);
    const onError = (err: unknown): void => logger.warn({ err }, "sessions that another region has ended continue");
    const endOrdered = createEndOrdered({ ends, sessions, onEnded: async (one) => singleLogout?.ended(one), onError });
    bus.subscribe(sessionsEndedElsewhere, () => void endOrdered());
    setInterval(() => void endOrdered(), everyMs).unref();
  }
  return {
    /** A user has ended all other sessions of an account. @throws AppError REDIS_UNAVAILABLE */
    onAllEnded: async (account: string): Promise<void> => log?.append({ kind: "session-end", account }),
  };
}
