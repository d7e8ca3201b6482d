import { type Base, baseFromConfig, busFromConfig, redisFromConfig } from "@postern/shared/assembly";
import type { Bus } from "@postern/shared/bus";
import type { Config } from "@postern/shared/config";
import { createCallerReader, createCallerVerifier, type ReadCaller } from "@postern/shared/http";
import { createHealth, type Health } from "@postern/shared/lifecycle";
import { type RedisClient, redisHealth } from "@postern/shared/redis";
import { createOidcContext, type OidcContext } from "./context/oidc.ts";
import { createSessions } from "./context/sessions.ts";
import type { FlowStarter } from "./flow/flow-port.ts";
import { type IdpSettings, idpSettings } from "./settings.ts";

/** The sign-in page finds the interaction by its id. */
const starter: FlowStarter = {
  startOidc: async (_request, _response, { interactionUid }) => `/login?flow=${interactionUid}`,
};

/** Everything that the identity provider is made of. Only this file makes any of it. */
export interface IdpContext extends Base {
  readonly settings: IdpSettings;
  readonly bus: Bus;
  readonly state: RedisClient;
  readonly health: Health;
  readonly readCaller: ReadCaller;
  /** Absent while `identity.oidc.enabled` is false. */
  readonly oidc: OidcContext | undefined;
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
  const sessions = createSessions(config, state);
  const oidc =
    sessions === undefined ? undefined : createOidcContext(config, { ...base, redis: state, sessions, starter });
  return {
    ...base,
    oidc,
    settings,
    bus,
    state,
    readCaller: createCallerReader(createCallerVerifier({ secret: settings.assertionSecret }, "idp")),
    health: createHealth({
      checks: [
        { name: "bus", required: false, check: assertConnected },
        ...(oidc === undefined ? [] : [{ name: "signing keys", required: true, check: () => void oidc.generations.current() }]),
        redisHealth({ client: state, role: "state", required: true, prefix, service, instance }),
      ],
      onFailure: (name, err) => logger.warn({ check: name, err }, "health check failed"),
    }),
  };
}
