import type { Base } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/platform/config";
import {
  createTrackedValues,
  type RedisClient,
  type TrackedValues,
  trackingProbeKey,
} from "@postern/shared/platform/redis";
import { steadyClock } from "@postern/shared/platform/time";

const maxTracked = 65_536;

/**
 * Keeps what the check reads for accounts and networks that have signed in: bans, pending failures, delayed accounts, and the facts for the
 * score. A cluster would need a connection to each primary; there every check reads Redis.
 */
export function createTracked(
  config: Config,
  { logger, instance }: Base,
  redis: RedisClient,
): TrackedValues | undefined {
  const { prefix, client_tracking: tracking } = config.storage.redis;
  if (!tracking.enabled) return undefined;
  return createTrackedValues(redis, {
    probePrefix: trackingProbeKey.build(prefix, instance, ""),
    maxValues: maxTracked,
    clock: steadyClock,
    onRefused: (err) => logger.warn({ err }, "Redis refused client tracking: every check for bans reads Redis"),
  });
}
