import { keyRingFromConfig } from "@postern/shared/assembly";
import type { Suspensions } from "@postern/shared/domain/suspensions";
import type { Config } from "@postern/shared/platform/config";
import type { RedisClient } from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import type { BrowserSessionRecord } from "./browser-session.ts";
import { createSessionStore, type SessionStore } from "./session-store-redis.ts";

/**
 * Nobody is signed in to a suspended account. Suspending ends its sessions; those that the end missed, because the identity provider did not
 * answer or a sign-in was under way, are not found.
 */
function withoutSuspended(store: SessionStore, suspensions: Pick<Suspensions, "find">): SessionStore {
  const unlessSuspended = (session: BrowserSessionRecord | undefined) =>
    session === undefined || suspensions.find(session.account) === undefined ? session : undefined;
  return {
    ...store,
    findBySid: async (sid) => unlessSuspended(await store.findBySid(sid)),
    findByUid: async (uid) => unlessSuspended(await store.findByUid(uid)),
  };
}

/** Browser sessions; undefined without `storage.redis.encryption_secret`, because they are stored only encrypted. */
export function createSessions(
  config: Config,
  {
    redis,
    clock,
    suspensions,
  }: { readonly redis: RedisClient; readonly clock: Clock; readonly suspensions: Pick<Suspensions, "find"> },
): SessionStore | undefined {
  const keys = keyRingFromConfig(config, "browser-session");
  if (keys === undefined) return undefined;
  const { lifetime, idle_timeout, remember_me_ttl } = config.identity.session;
  const store = createSessionStore({
    redis,
    keyPrefix: config.storage.redis.prefix,
    keys,
    clock,
    lives: { absoluteMs: lifetime, idleMs: idle_timeout, rememberMs: remember_me_ttl },
  });
  return withoutSuspended(store, suspensions);
}
