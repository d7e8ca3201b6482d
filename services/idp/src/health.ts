import type { Base } from "@postern/shared/assembly";
import { type Bus, busHealth } from "@postern/shared/platform/bus";
import type { Config } from "@postern/shared/platform/config";
import { createHealth, type Health } from "@postern/shared/platform/lifecycle";
import { type RedisClient, type RedisClock, redisHealth } from "@postern/shared/platform/redis";
import type { OidcContext } from "./oidc/context.ts";

/** The wall clock stands in until that of Redis is measured, and may be wrong: what this replica writes could end immediately elsewhere. */
function clockHealth(clock: RedisClock) {
  return {
    name: "clock of Redis",
    required: true,
    check: async () => {
      // It is measured here too: the result of a check is kept for a while, which would delay a start.
      if (!clock.isMeasured()) await clock.measure();
    },
  };
}

/** Without signing keys no token can be issued. */
function keysHealth(oidc: OidcContext | undefined) {
  if (oidc === undefined) return [];
  return [{ name: "signing keys", required: true, check: () => void oidc.generations.current() }];
}

/**
 * A replica becomes ready once it has reached Redis. Without Redis it is degraded, as without the bus: discovery, keys and errors that clients
 * understand are better than the page of a proxy that has left out all replicas.
 */
export function createIdpHealth(
  { storage }: Config,
  { logger, service, instance }: Base,
  { bus, state, clock }: { readonly bus: Bus; readonly state: RedisClient; readonly clock: RedisClock },
  oidc: OidcContext | undefined,
): Health {
  const { prefix: keyPrefix } = storage.redis;
  return createHealth({
    checks: [
      busHealth(bus, false),
      ...keysHealth(oidc),
      clockHealth(clock),
      redisHealth({ client: state, role: "state", required: false, keyPrefix, service, instance }),
    ],
    onFailure: (name, err) => logger.warn({ check: name, err }, "health check failed"),
  });
}
