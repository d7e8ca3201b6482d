import type { Base } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/platform/config";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import { type ClientUseStore, type ClientUses, createClientUses } from "../applications/client-uses.ts";
import { createClientUseStore } from "../applications/client-uses-redis.ts";
import { createListApplications, type ListApplications } from "../applications/list-applications.ts";
import type { Protocols } from "./protocols.ts";

export interface ClientUseParts {
  readonly uses: ClientUses;
  readonly store: ClientUseStore;
}

const everyMs = 10_000;
const nowMs = (): number => systemClock.now();

export function createClientUseParts(config: Config, { logger }: Base, state: RedisClient): ClientUseParts {
  const store = createClientUseStore(state, config.storage.redis.prefix);
  const onError = (err: unknown): void => logger.debug({ err }, "the last use of clients could not be written");
  return { store, uses: createClientUses(store, nowMs, everyMs, onError) };
}

export function listApplicationsOf({ oidc, saml }: Protocols, { store }: ClientUseParts): ListApplications {
  return createListApplications(
    () => [...(oidc?.generations.current().policies.values() ?? [])].filter((one) => !one.isRegistered),
    () => saml?.listProviders() ?? [],
    store,
    nowMs,
  );
}
