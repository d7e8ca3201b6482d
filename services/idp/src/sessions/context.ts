import { keyRingFromConfig } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/platform/config";
import type { RedisClient } from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import type { IsRefused } from "../domains/refused-accounts.ts";
import { SessionStore } from "./session-store-redis.ts";

/** Browser sessions; undefined without `storage.redis.encryption_secret`, because they are stored only encrypted. */
export function createSessions(
  config: Config,
  parts: { readonly redis: RedisClient; readonly clock: Clock; readonly isRefused: IsRefused },
): SessionStore | undefined {
  const keys = keyRingFromConfig(config, "browser-session");
  if (keys === undefined) return undefined;
  const { lifetime, idle_timeout, remember_me_ttl } = config.identity.session;
  return new SessionStore({
    ...parts,
    keyPrefix: config.storage.redis.prefix,
    keys,
    lives: { absoluteMs: lifetime, idleMs: idle_timeout, rememberMs: remember_me_ttl },
  });
}
