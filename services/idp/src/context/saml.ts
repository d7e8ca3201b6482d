import { keyRingFromConfig } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/config";
import { systemClock } from "@postern/shared/time";
import type { FlowEnd } from "../flow/flow-port.ts";
import type { ListDemands } from "../login/connected-applications.ts";
import type { SamlRoutesDeps } from "../routes/saml/deps.ts";
import { createSamlKeyStore } from "../saml/keys/saml-keys-redis.ts";
import { createParticipants } from "../saml/logout/participants-redis.ts";
import { createSamlMetrics } from "../saml/saml-metrics.ts";
import { createAnswers } from "../saml/sso/answers.ts";
import { createPendingRequests, createReplayGuard } from "../saml/sso/pending-requests-redis.ts";
import { createSso } from "../saml/sso/sso.ts";
import { createSamlLogout, type SamlLogoutContext, type SamlParts } from "./saml-logout.ts";
import { createSamlRegistry, type SamlState } from "./saml-registry.ts";

/** The SAML identity provider; the pages complete its routes. */
export interface SamlContext {
  readonly routes: Omit<SamlRoutesDeps, "pages" | "starts" | "sessions">;
  /** Ends the sign-in pages' flows of kind `saml`. */
  readonly finish: FlowEnd;
  readonly logout: SamlLogoutContext;
  /** What service providers demand that the account's sessions have signed in to. */
  readonly demandsOn: ListDemands;
  /** Takes another configuration; when it throws, the old one stays. */
  apply(config: Config): Promise<void>;
  /** Begins to follow the service providers' metadata; resolves when each was looked for, or after five seconds. */
  start(): Promise<void>;
  close(): void;
}

function keysOf(config: Config, { base, state }: SamlParts, current: () => SamlState): SamlRoutesDeps["keys"] {
  const ring = keyRingFromConfig(config, "saml");
  const { saml } = config.identity;
  const made =
    ring === undefined
      ? undefined
      : createSamlKeyStore({
          redis: state,
          prefix: config.storage.redis.prefix,
          keys: ring,
          clock: systemClock,
          rotation: { intervalMs: saml.key_rotation_interval, publishMs: saml.key_publish_delay },
          name: saml.entity_id,
          onMade: () => base.logger.info("SAML signing key made"),
        });
  return async () => {
    const { configuredKeys } = current().settings;
    if (configuredKeys !== undefined) return configuredKeys;
    if (made === undefined) throw new RangeError("no storage.redis.encryption_secret");
    return made();
  };
}

/** Undefined while `identity.saml.enabled` is off. */
export function createSamlContext(config: Config, parts: SamlParts): SamlContext | undefined {
  const ring = keyRingFromConfig(config, "saml");
  if (!config.identity.saml.enabled || ring === undefined) return undefined;
  const { base, state, sessions } = parts;
  const metrics = createSamlMetrics(base.metrics, base.prefix);
  const registry = createSamlRegistry(config, { redis: state, keys: ring, logger: base.logger, metrics });
  const settings = () => registry.current().settings;
  const providers = () => registry.current().providers;
  const stored = { redis: state, prefix: config.storage.redis.prefix, keys: ring };
  const shared = {
    settings,
    providers,
    keys: keysOf(config, parts, () => registry.current()),
    replay: createReplayGuard(stored),
    participants: createParticipants(stored),
    clock: systemClock,
  };
  const sso = createSso({ ...shared, answers: createAnswers(shared), requests: createPendingRequests(stored) });
  const logout = createSamlLogout(parts, stored, { ...shared, metrics });
  return {
    routes: { ...shared, lookedFor: (entityId) => registry.lookedFor(entityId), sso, ...logout.routes },
    logout,
    finish: {
      finishLogin: async (flowId, { uid }) =>
        (await sso.signedIn(flowId, uid))
          ? { redirect: `/saml/sso?${new URLSearchParams({ request: flowId }).toString()}` }
          : { expired: true },
    },
    demandsOn: async (account) => {
      const living = await sessions.list(account);
      const joined = (await Promise.all(living.map(({ uid }) => shared.participants.all(uid)))).flat();
      const ids = new Set(joined.map(({ entityId }) => entityId));
      return [...ids].flatMap((entityId) => providers().find(entityId)?.demands ?? []);
    },
    apply: (next) => registry.apply(next),
    start: () => registry.start(),
    close: () => registry.close(),
  };
}
