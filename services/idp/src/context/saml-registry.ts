import type { Config } from "@postern/shared/platform/config";
import type { KeyRing } from "@postern/shared/platform/crypto";
import type { Logger } from "@postern/shared/platform/logging";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import type { ListedProvider } from "../applications/list-applications.ts";
import { loadDocument } from "../saml/metadata/load-document.ts";
import { createMetadataCopies } from "../saml/metadata/metadata-copies-redis.ts";
import { hasMetadata, metadataSources } from "../saml/metadata/metadata-sources.ts";
import { createMetadataWatch, type MetadataWatch } from "../saml/metadata/metadata-watch.ts";
import { readInThread } from "../saml/metadata/read-in-thread.ts";
import { createProviders, type Providers } from "../saml/providers.ts";
import type { SamlMetrics } from "../saml/saml-metrics.ts";
import { type SamlSettings, samlSettings } from "../saml/saml-settings.ts";

export interface SamlState {
  readonly settings: SamlSettings;
  readonly providers: Providers;
}

export interface SamlRegistryDeps {
  readonly redis: RedisClient;
  readonly keys: KeyRing;
  readonly logger: Logger;
  readonly metrics: SamlMetrics;
}

function follow(metadata: MetadataWatch, { saml }: SamlSettings): Promise<void> {
  const { refresh_interval: refreshMs, request_timeout: requestTimeoutMs, max_bytes: maxBytes } = saml.metadata;
  return metadata.follow(metadataSources(saml.service_providers), { refreshMs, requestTimeoutMs, maxBytes });
}

/** @throws AppError CONFIG_INVALID for keys and certificates that cannot be read */
export function createSamlRegistry(config: Config, deps: SamlRegistryDeps) {
  const { redis, keys, logger, metrics } = deps;
  const clock = systemClock;
  const { prefix: keyPrefix } = config.storage.redis;
  const maxBytes = (): number => state.settings.saml.metadata.max_bytes;
  const metadata = createMetadataWatch({
    load: loadDocument,
    read: readInThread,
    copies: createMetadataCopies({ redis, keyPrefix, keys, maxBytes }),
    clock,
    logger,
    count: (result) => metrics.refreshed(result),
    onChange: () => {
      state = stateOf(state.settings);
    },
  });
  const stateOf = (settings: SamlSettings): SamlState => ({
    settings,
    providers: createProviders(settings.saml, (provider) => metadata.factsOf(provider), clock, settings.mfaPolicy),
  });
  let state = stateOf(samlSettings(config));
  metrics.watch(metadata);
  return {
    current: (): SamlState => state,
    /** All service providers of the configuration, with their metadata. */
    listProviders: (): readonly ListedProvider[] =>
      state.settings.saml.service_providers.map((provider) => ({
        config: provider,
        facts: hasMetadata(provider) ? metadata.factsOf(provider) : undefined,
      })),
    /** Applies a new configuration. If it rejects, the previous one remains in use. */
    apply: async (next: Config): Promise<void> => {
      const settings = samlSettings(next);
      metadataSources(settings.saml.service_providers);
      state = stateOf(settings);
      await follow(metadata, settings);
    },
    /** Starts watching the metadata. Resolves when each document was requested once, or after five seconds. */
    start: (): Promise<void> => follow(metadata, state.settings),
    /** Resolves when the metadata of a service provider is known or was requested, or after five seconds. */
    lookedFor: (entityId: string): Promise<void> => metadata.lookedFor(entityId),
    close: (): void => metadata.close(),
  };
}
