import type { Clock } from "@postern/shared/platform/time";
import type { LdapPoolSettings } from "./ldap-settings.ts";

/** A token bucket: `perSecond` on average, bursts of up to `burst` more. Without a rate, everything passes. */
export function createBindRate({ perSecond, burst }: LdapPoolSettings["bindRate"], clock: Clock): () => boolean {
  if (perSecond <= 0) return () => true;
  const size = Math.max(1, burst);
  let tokens = size;
  let filledAt = clock.now();
  return () => {
    const now = clock.now();
    tokens = Math.min(size, tokens + (Math.max(0, now - filledAt) * perSecond) / 1000);
    filledAt = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}
