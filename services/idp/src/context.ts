import { type Base, baseFromConfig, busFromConfig, redisFromConfig } from "@postern/shared/assembly";
import type { Bus } from "@postern/shared/bus";
import type { Config } from "@postern/shared/config";
import { createCallerReader, createCallerVerifier, type ReadCaller } from "@postern/shared/http";
import { createHealth, type Health } from "@postern/shared/lifecycle";
import { lazyOpenapi, type RenderedDocument } from "@postern/shared/openapi";
import { type RedisClient, redisHealth } from "@postern/shared/redis";
import { type IdpSettings, idpSettings } from "./settings.ts";

/** Everything that the identity provider is made of. Only this file makes any of it. */
export interface IdpContext extends Base {
  readonly settings: IdpSettings;
  readonly bus: Bus;
  readonly state: RedisClient;
  readonly health: Health;
  readonly readCaller: ReadCaller;
  /** The public contract. */
  readonly openapi: () => RenderedDocument;
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
  return {
    ...base,
    settings,
    bus,
    state,
    readCaller: createCallerReader(createCallerVerifier({ secret: settings.assertionSecret }, "idp")),
    openapi: lazyOpenapi("idp", config),
    health: createHealth({
      checks: [
        { name: "bus", required: false, check: assertConnected },
        redisHealth({ client: state, role: "state", required: true, prefix, service, instance }),
      ],
      onFailure: (name, err) => logger.warn({ check: name, err }, "health check failed"),
    }),
  };
}
