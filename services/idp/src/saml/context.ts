import { keyRingFromConfig } from "@postern/shared/assembly";
import { pathTo } from "@postern/shared/contracts";
import type { Config } from "@postern/shared/platform/config";
import type { PreparedReload } from "@postern/shared/platform/lifecycle";
import type { Logger } from "@postern/shared/platform/logging";
import { systemClock } from "@postern/shared/platform/time";
import type { ListedProvider } from "../applications/list-applications.ts";
import type { FlowEnd, FlowEnding } from "../flow/flow-port.ts";
import { createRecordTimes } from "../oidc/storage/record-times.ts";
import type { SignInDemands } from "../second-factors/sign-in-demands.ts";
import type { SamlKeys } from "./keys/saml-keys.ts";
import { createSamlKeyStore } from "./keys/saml-keys-redis.ts";
import { createSamlLogout, type SamlParts } from "./logout/context.ts";
import { loadDocument } from "./metadata/load-document.ts";
import { createMetadataCopies } from "./metadata/metadata-copies-redis.ts";
import { hasMetadata, metadataSources } from "./metadata/metadata-source.ts";
import { createMetadataWatch, type MetadataWatch } from "./metadata/metadata-watch.ts";
import { readInThread } from "./metadata/read-in-thread.ts";
import { createProviders, type Providers } from "./providers.ts";
import type { SamlCore } from "./saml-core.ts";
import { createSamlMetrics, type SamlMetrics } from "./saml-metrics.ts";
import { type SamlSettings, samlSettings } from "./saml-settings.ts";
import { createAnswers } from "./sso/answers.ts";
import { createPendingRequests, type PendingRequests } from "./sso/pending-requests-redis.ts";
import { createSso } from "./sso/sso.ts";
import { createParticipants } from "./state/participants-redis.ts";
import { createReplayGuard, type SamlRedisDeps } from "./state/saml-redis.ts";

function follow(metadata: MetadataWatch, { saml }: SamlSettings): Promise<void> {
  const { refresh_interval: refreshMs, request_timeout: requestTimeoutMs, max_bytes: maxBytes } = saml.metadata;
  return metadata.follow(metadataSources(saml.service_providers), { refreshMs, requestTimeoutMs, maxBytes });
}

/** @throws AppError CONFIG_INVALID for keys and certificates that cannot be read */
function createSamlRegistry(config: Config, stored: SamlRedisDeps, logger: Logger, metrics: SamlMetrics) {
  const clock = systemClock;
  const metadata = createMetadataWatch({
    load: loadDocument,
    read: readInThread,
    copies: createMetadataCopies(stored, () => state.settings.saml.metadata.max_bytes),
    clock,
    logger,
    count: (result) => metrics.refreshed(result),
    onChange: () => {
      state = stateOf(state.settings);
    },
  });
  const stateOf = (settings: SamlSettings) => ({
    settings,
    providers: createProviders(settings.saml, (provider) => metadata.factsOf(provider), clock, settings.mfaPolicy),
  });
  let state = stateOf(samlSettings(config));
  metrics.watch(metadata);
  return {
    settings: (): SamlSettings => state.settings,
    providers: (): Providers => state.providers,
    /** Resolves when the metadata of a service provider is known or was requested, or after five seconds. */
    lookedFor: metadata.lookedFor,
    running: {
      /** All service providers of the configuration, also unusable ones, with their metadata. */
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
      /**
       * Starts watching the service providers' metadata. Resolves when each document was requested once, or after five
       * seconds.
       */
      start: (): Promise<void> => follow(metadata, state.settings),
      close: metadata.close,
    },
  };
}

function createKeys(
  { identity: { saml } }: Config,
  { base, sharedClock }: SamlParts,
  stored: SamlRedisDeps,
  settings: () => SamlSettings,
) {
  const generated = createSamlKeyStore({
    ...stored,
    clock: sharedClock,
    rotation: { intervalMs: saml.key_rotation_interval, publishMs: saml.key_publish_delay },
    name: saml.entity_id,
    onCreated: () => base.logger.info("SAML signing key created"),
  });
  return async (): Promise<SamlKeys> => settings().configuredKeys ?? generated();
}

/** The request that started a flow is answered there, unless it has expired. */
function endingOf(flowId: string, isKnown: boolean): FlowEnding {
  if (!isKnown) return { expired: true };
  return { redirect: `${pathTo("samlSignIn")}?${new URLSearchParams({ request: flowId }).toString()}` };
}

function flowEndOf(requests: PendingRequests): FlowEnd {
  return {
    finishLogin: async (flowId, { uid }) => endingOf(flowId, await requests.noteSignIn(flowId, uid)),
    cancelLogin: async (flowId) => endingOf(flowId, await requests.noteCancel(flowId)),
  };
}

/** The SAML identity provider; undefined while `identity.saml.enabled` is off. */
export function createSamlContext(config: Config, parts: SamlParts) {
  const ring = keyRingFromConfig(config, "saml");
  if (!config.identity.saml.enabled || ring === undefined) return undefined;
  const { base, state, sharedClock, sessions, clientUses, domains } = parts;
  const { logger } = base;
  const metrics = createSamlMetrics(base.metrics, base.metricsPrefix);
  const stored = { redis: state, keyPrefix: config.storage.redis.prefix, keys: ring };
  const { settings, providers, lookedFor, running } = createSamlRegistry(config, stored, logger, metrics);
  const core: SamlCore = {
    settings,
    providers,
    keys: createKeys(config, parts, stored, settings),
    replay: createReplayGuard(stored),
    participants: createParticipants(stored, sharedClock),
    domains,
    metrics,
    logger,
    clock: systemClock,
    sharedClock,
  };
  const times = createRecordTimes({ own: systemClock, shared: sharedClock });
  const answers = createAnswers(core, times, (entityId) => clientUses.note("saml", entityId));
  const requests = createPendingRequests(stored);
  const logout = createSamlLogout(parts, stored, core);
  return {
    ...running,
    routes: { ...core, lookedFor, sso: createSso(core, answers, requests), ...logout.routes },
    finish: flowEndOf(requests),
    logout,
    /** The demands of the service providers that the account's sessions have signed in to. */
    demandsOn: async (account: string): Promise<readonly SignInDemands[]> => {
      const living = await sessions.listAll(account);
      const joined = (await Promise.all(living.map(({ uid }) => core.participants.all(uid)))).flat();
      const ids = new Set(joined.map(({ entityId }) => entityId));
      return [...ids].flatMap((entityId) => providers().find(entityId)?.demands ?? []);
    },
  };
}

export type SamlContext = NonNullable<ReturnType<typeof createSamlContext>>;
