import { keyRingFromConfig } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/platform/config";
import type { RedisClient } from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import { createSessionStore, type SessionStore } from "./session-store-redis.ts";

/** Browser sessions; undefined without `storage.redis.encryption_secret`, because they are stored only encrypted. */
export function createSessions(config: Config, redis: RedisClient, clock: Clock): SessionStore | undefined {
  const keys = keyRingFromConfig(config, "browser-session");
  if (keys === undefined) return undefined;
  const { lifetime, idle_timeout, remember_me_ttl } = config.identity.session;
  return createSessionStore({
    redis,
    keyPrefix: config.storage.redis.prefix,
    keys,
    clock,
    lives: { absoluteMs: lifetime, idleMs: idle_timeout, rememberMs: remember_me_ttl },
  });
}
