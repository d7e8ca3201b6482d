import { keyRingFromConfig } from "@postern/shared/assembly";
import { pathTo } from "@postern/shared/contracts";
import type { Config } from "@postern/shared/platform/config";
import type { KeyRing } from "@postern/shared/platform/crypto";
import type { PreparedReload } from "@postern/shared/platform/lifecycle";
import type { Logger } from "@postern/shared/platform/logging";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import type { ListDemands } from "../account/connected-applications.ts";
import type { ListedProvider } from "../applications/list-applications.ts";
import type { FlowEnd } from "../flow/flow-port.ts";
import { createRecordTimes } from "../oidc/storage/record-times.ts";
import { createSamlKeyStore } from "./keys/saml-keys-redis.ts";
import { createSamlLogout, type SamlLogoutContext, type SamlParts } from "./logout/context.ts";
import { loadDocument } from "./metadata/load-document.ts";
import { createMetadataCopies } from "./metadata/metadata-copies-redis.ts";
import { hasMetadata, metadataSources } from "./metadata/metadata-sources.ts";
import { createMetadataWatch, type MetadataWatch } from "./metadata/metadata-watch.ts";
import { readInThread } from "./metadata/read-in-thread.ts";
import { createProviders, type Providers } from "./providers.ts";
import { createSamlMetrics, type SamlMetrics } from "./saml-metrics.ts";
import { type SamlSettings, samlSettings } from "./saml-settings.ts";
import type { SamlRoutesDeps } from "./saml-visit.ts";
import { createAnswers } from "./sso/answers.ts";
import { createPendingRequests } from "./sso/pending-requests-redis.ts";
import { createSso } from "./sso/sso.ts";
import { createParticipants } from "./state/participants-redis.ts";
import { createReplayGuard } from "./state/replay-guard-redis.ts";

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
function createSamlRegistry(config: Config, deps: SamlRegistryDeps) {
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
    /** Throws if the configuration cannot be used. */
    prepare: (next: Config): PreparedReload => {
      const settings = samlSettings(next);
      metadataSources(settings.saml.service_providers);
      stateOf(settings);
      return {
        use: async () => {
          state = stateOf(settings);
          await follow(metadata, settings);
        },
      };
    },
    /** Starts watching the metadata. Resolves when each document was requested once, or after five seconds. */
    start: (): Promise<void> => follow(metadata, state.settings),
    /** Resolves when the metadata of a service provider is known or was requested, or after five seconds. */
    lookedFor: (entityId: string): Promise<void> => metadata.lookedFor(entityId),
    close: (): void => metadata.close(),
  };
}

/** The SAML identity provider. The routes also need parts of the pages. */
export interface SamlContext {
  readonly routes: Omit<SamlRoutesDeps, "pages" | "starts" | "sessions">;
  /** Ends flows of kind `saml`. */
  readonly finish: FlowEnd;
  readonly logout: SamlLogoutContext;
  /** The demands of the service providers that the account's sessions have signed in to. */
  readonly demandsOn: ListDemands;
  /** Throws if the configuration cannot be used. */
  prepare(config: Config): PreparedReload;
  /** All service providers of the configuration, also unusable ones. */
  listProviders(): readonly ListedProvider[];
  /**
   * Starts watching the service providers' metadata. Resolves when each document was requested once, or after five
   * seconds.
   */
  start(): Promise<void>;
  close(): void;
}

function keysOf(
  config: Config,
  { base, state, sharedClock }: SamlParts,
  current: () => SamlState,
): SamlRoutesDeps["keys"] {
  const ring = keyRingFromConfig(config, "saml");
  const { saml } = config.identity;
  const loadKeys =
    ring === undefined
      ? undefined
      : createSamlKeyStore({
          redis: state,
          keyPrefix: config.storage.redis.prefix,
          keys: ring,
          clock: sharedClock,
          rotation: { intervalMs: saml.key_rotation_interval, publishMs: saml.key_publish_delay },
          name: saml.entity_id,
          onCreated: () => base.logger.info("SAML signing key created"),
        });
  return async () => {
    const { configuredKeys } = current().settings;
    if (configuredKeys !== undefined) return configuredKeys;
    if (loadKeys === undefined) throw new RangeError("no storage.redis.encryption_secret");
    return loadKeys();
  };
}

/** Where the request that started a flow is answered. */
function answerPath(flowId: string): string {
  return `${pathTo("samlSignIn")}?${new URLSearchParams({ request: flowId }).toString()}`;
}

/** Undefined while `identity.saml.enabled` is off. */
export function createSamlContext(config: Config, parts: SamlParts): SamlContext | undefined {
  const ring = keyRingFromConfig(config, "saml");
  if (!config.identity.saml.enabled || ring === undefined) return undefined;
  const { base, state, sharedClock, sessions } = parts;
  const metrics = createSamlMetrics(base.metrics, base.metricsPrefix);
  const registry = createSamlRegistry(config, { redis: state, keys: ring, logger: base.logger, metrics });
  const settings = () => registry.current().settings;
  const providers = () => registry.current().providers;
  const stored = { redis: state, keyPrefix: config.storage.redis.prefix, keys: ring };
  const shared = {
    settings,
    providers,
    keys: keysOf(config, parts, () => registry.current()),
    replay: createReplayGuard(stored),
    participants: createParticipants({ ...stored, clock: sharedClock }),
    clock: systemClock,
    sharedClock,
    times: createRecordTimes({ own: systemClock, shared: sharedClock }),
  };
  const answers = createAnswers({
    ...shared,
    onUsed: (entityId) => parts.clientUses.note("saml", entityId),
    onNoName: (refused) => base.logger.error({ ...refused }, "no SAML name ID for the account"),
  });
  const sso = createSso({ ...shared, answers, requests: createPendingRequests(stored) });
  const logout = createSamlLogout(parts, stored, { ...shared, metrics });
  return {
    routes: { ...shared, lookedFor: (entityId) => registry.lookedFor(entityId), sso, ...logout.routes },
    logout,
    finish: {
      finishLogin: async (flowId, { uid }) =>
        (await sso.signedIn(flowId, uid)) ? { redirect: answerPath(flowId) } : { expired: true },
      cancelLogin: async (flowId) =>
        (await sso.cancelled(flowId)) ? { redirect: answerPath(flowId) } : { expired: true },
    },
    demandsOn: async (account) => {
      const living = await sessions.listAll(account);
      const joined = (await Promise.all(living.map(({ uid }) => shared.participants.all(uid)))).flat();
      const ids = new Set(joined.map(({ entityId }) => entityId));
      return [...ids].flatMap((entityId) => providers().find(entityId)?.demands ?? []);
    },
    listProviders: () => registry.listProviders(),
    prepare: (next) => registry.prepare(next),
    start: () => registry.start(),
    close: () => registry.close(),
  };
}
