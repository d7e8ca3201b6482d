import {
  accountNamesFromSettings,
  type Base,
  baseFromConfig,
  type EngineBus,
  engineBusFromConfig,
  flushSettings,
  redisFromConfig,
} from "@postern/shared/assembly";
import type { Config } from "@postern/shared/platform/config";
import { createCallerReader, createCallerVerifier, type ReadCaller } from "@postern/shared/platform/http";
import type { Health, SharedByProcess } from "@postern/shared/platform/lifecycle";
import { lazyOpenapi, type RenderedDocument } from "@postern/shared/platform/openapi";
import { type RedisClient, watchRedisClock } from "@postern/shared/platform/redis";
import type { ClientUses } from "./applications/client-uses.ts";
import type { ListApplications } from "./applications/list-applications.ts";
import { createClientUseParts, listApplicationsOf } from "./context/applications.ts";
import { createIdpHealth } from "./context/health.ts";
import { createMailClients } from "./context/mail-clients.ts";
import { createPagesContext, type PagesContext } from "./context/pages.ts";
import { createProtocols, type Protocols } from "./context/protocols.ts";
import type { NotificationsContext, NotificationsParts } from "./context/user-notifications.ts";
import { createIdpMetrics } from "./metrics.ts";
import type { MailClientDeps } from "./routes/mail-clients/deps.ts";
import { type IdpSettings, idpSettings } from "./settings.ts";

/** Everything that the identity provider consists of. Only this file and `context/` construct any of it. */
export interface IdpContext extends Base, EngineBus, Protocols {
  readonly settings: IdpSettings;
  readonly clientUses: ClientUses;
  readonly listApplications: ListApplications;
  readonly state: RedisClient;
  readonly health: Health;
  readonly readCaller: ReadCaller;
  /** The OpenAPI document that anyone may read. */
  readonly openapi: () => RenderedDocument;
  /** Undefined while `identity.frontend.enabled` is off. */
  readonly pages: PagesContext | undefined;
  /** Undefined while `identity.mail_clients.enabled` is off. */
  readonly mailClients: MailClientDeps | undefined;
}

/** The code that queues user notifications is loaded only where they are enabled. */
async function notificationsOf(config: Config, parts: NotificationsParts): Promise<NotificationsContext | undefined> {
  if (!config.identity.frontend.enabled || !config.identity.notices.enabled) return undefined;
  const { createNotificationsContext } = await import("./context/user-notifications.ts");
  return createNotificationsContext(config, parts);
}

export async function createContext(config: Config, shared: SharedByProcess): Promise<IdpContext> {
  const base = await baseFromConfig(config, "idp", shared);
  const settings = idpSettings(config);
  const state = redisFromConfig(config, "state", base);
  const sharedClock = watchRedisClock(state);
  const { bus, engineWatch } = await engineBusFromConfig(config, base);
  const names = flushSettings(config);
  const clientUses = createClientUseParts(config, base, state);
  const { forPages, connectPages, ...protocols } = createProtocols(config, {
    base,
    state,
    sharedClock,
    clientUses: clientUses.uses,
    accountNames: accountNamesFromSettings({ bus, live: () => names }),
  });
  const metrics = createIdpMetrics(base.metrics, base.metricsPrefix);
  const notifications = await notificationsOf(config, { base, bus, state, metrics });
  const mail = createMailClients(config, base, state);
  const mailSetup = mail?.setup;
  const pages = createPagesContext({
    config,
    base,
    bus,
    state,
    sharedClock,
    protocols: forPages,
    metrics,
    notifications,
    mailSetup,
  });
  connectPages(pages);
  const keyPrefix = config.storage.redis.prefix;
  return {
    ...base,
    ...protocols,
    clientUses: clientUses.uses,
    listApplications: listApplicationsOf(protocols, clientUses),
    pages,
    mailClients: mail?.documents,
    settings,
    bus,
    engineWatch,
    state,
    readCaller: createCallerReader(createCallerVerifier({ secret: settings.assertionSecret }, "idp", sharedClock)),
    openapi: lazyOpenapi("idp", config),
    health: createIdpHealth({ base, bus, state, sharedClock, keyPrefix, oidc: protocols.oidc }),
  };
}
