import { type Base, baseFromConfig, busFromConfig, redisFromConfig } from "@postern/shared/assembly";
import type { Bus } from "@postern/shared/bus";
import type { Config } from "@postern/shared/config";
import { createCallerReader, createCallerVerifier, type ReadCaller } from "@postern/shared/http";
import { createHealth, type Health } from "@postern/shared/lifecycle";
import { type RedisClient, redisHealth } from "@postern/shared/redis";
import { createPagesContext, type PagesContext } from "./context/pages.ts";
import { type IdpSettings, idpSettings } from "./settings.ts";

/** Everything that the identity provider is made of. Only this file makes any of it. */
export interface IdpContext extends Base {
  readonly settings: IdpSettings;
  readonly bus: Bus;
  readonly state: RedisClient;
  readonly health: Health;
  readonly readCaller: ReadCaller;
  /** Absent while `identity.frontend.enabled` is off. */
  readonly pages: PagesContext | undefined;
}

export async function createContext(config: Config): Promise<IdpContext> {
  const base = baseFromConfig(config, "idp");
  const { logger, service, instance } = base;
  const settings = idpSettings(config);
  const state = redisFromConfig(config, "state", base);
  const bus = await busFromConfig(config, base);
  const { prefix } = config.storage.redis;
  const assertConnected = (): void => {
    if (!bus.isConnected()) throw new Error("not connected to NATS");
  };
  // The protocols that end a flow are not built: only self-service ends of itself.
  const protocols = { ends: {}, onReplaced: async () => undefined };
  return {
    ...base,
    pages: createPagesContext({ config, base, bus, state, protocols }),
    settings,
    bus,
    state,
    readCaller: createCallerReader(createCallerVerifier({ secret: settings.assertionSecret }, "idp")),
    health: createHealth({
      checks: [
        { name: "bus", required: false, check: assertConnected },
        redisHealth({ client: state, role: "state", required: true, prefix, service, instance }),
      ],
      onFailure: (name, err) => logger.warn({ check: name, err }, "health check failed"),
    }),
  };
}
