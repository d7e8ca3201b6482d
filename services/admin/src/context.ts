import { type Base, baseFromConfig, redisFromConfig } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/config";
import { createCallerReader, createCallerVerifier, type ReadCaller } from "@postern/shared/http";
import { createHealth, type Health } from "@postern/shared/lifecycle";
import { type RedisClient, redisHealth } from "@postern/shared/redis";
import { type AdminSettings, adminSettings, type LiveAdminSettings, liveAdminSettings } from "./settings.ts";

/** Everything that the administration service is made of. Only this file makes any of it. */
export interface AdminContext extends Base {
  readonly settings: AdminSettings;
  readonly live: { current: LiveAdminSettings };
  readonly health: Health;
  readonly state: RedisClient;
  readonly readCaller: ReadCaller;
}

export function createContext(config: Config): AdminContext {
  const base = baseFromConfig(config, "admin");
  const { logger, service, instance } = base;
  const settings = adminSettings(config);
  const state = redisFromConfig(config, "state", base);
  const { prefix } = config.storage.redis;
  return {
    ...base,
    settings,
    live: { current: liveAdminSettings(config) },
    state,
    readCaller: createCallerReader(createCallerVerifier({ secret: settings.assertionSecret }, "admin")),
    health: createHealth({
      // Reading the configuration needs no Redis, so the service serves without it.
      checks: [redisHealth({ client: state, role: "state", required: false, prefix, service, instance })],
      onFailure: (name, err) => logger.warn({ check: name, err }, "health check failed"),
    }),
  };
}
