import { randomUUID } from "node:crypto";
import {
  accountChangesFromConfig,
  accountNamesFromSettings,
  type Base,
  baseFromConfig,
  engineBusFromConfig,
  flushSettings,
  keyRingFromConfig,
  redisFromConfig,
  regionCallsFromConfig,
  suspensionsFromConfig,
} from "@postern/shared/assembly";
import type { RegionCalls } from "@postern/shared/domain/region-calls";
import type { Bus } from "@postern/shared/platform/bus";
import type { Config } from "@postern/shared/platform/config";
import { createCallerReader, createCallerVerifier } from "@postern/shared/platform/http";
import type { SharedByProcess } from "@postern/shared/platform/lifecycle";
import { lazyOpenapi } from "@postern/shared/platform/openapi";
import { type RedisClient, watchRedisClock } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import { type AccountParts, createAccount } from "./account/context.ts";
import { createClientUses } from "./applications/client-uses.ts";
import { createClientUseStore } from "./applications/client-uses-redis.ts";
import { createListApplications } from "./applications/list-applications.ts";
import { createDomains } from "./domains/context.ts";
import { createIdpHealth } from "./health.ts";
import { createMailClients } from "./mail-clients/context.ts";
import { createIdpMetrics, type IdpMetrics } from "./metrics.ts";
import { accountOfSession } from "./oidc/accounts/accounts.ts";
import { createOidcContext, type OidcContext } from "./oidc/context.ts";
import { deviceEnd } from "./oidc/device/device.ts";
import { createRegionSessions, serveRegionCalls } from "./regions/context.ts";
import { createDeviceMemory } from "./remembered-devices/remembered-devices.ts";
import { createSamlContext, type SamlContext } from "./saml/context.ts";
import { createSecondFactors, createVouching, type Vouching } from "./second-factors/context.ts";
import type { BrowserSessionRecord } from "./sessions/browser-session.ts";
import { createSessions } from "./sessions/context.ts";
import type { SessionStore } from "./sessions/session-store-redis.ts";
import { createSingleLogout, type SingleLogout } from "./sessions/single-logout.ts";
import { idpSettings } from "./settings.ts";
import { createSignIn } from "./sign-in/context.ts";
import { serveSuspensions } from "./suspensions/end-access.ts";
import type { NotificationParts, NotificationsContext } from "./user-notifications/context.ts";
import { createVisitContext, type PageParts, starterOf } from "./visit/context.ts";

const everyMs = 10_000;
const nowMs = (): number => systemClock.now();

/** The note of when each application was last used. */
function createLastUses(config: Config, { logger }: Base, state: RedisClient) {
  const store = createClientUseStore(state, config.storage.redis.prefix);
  const onError = (err: unknown): void => logger.debug({ err }, "the last use of clients could not be written");
  return { store, uses: createClientUses(store, nowMs, everyMs, onError) };
}

/** OIDC, SAML and the logout of both. */
interface Protocols {
  /** Undefined while `identity.oidc.enabled` is off. */
  readonly oidc: OidcContext | undefined;
  /** Undefined while `identity.saml.enabled` is off. */
  readonly saml: SamlContext | undefined;
  /** Undefined where no sessions are kept. */
  readonly singleLogout: SingleLogout | undefined;
}

type OidcDeps = Parameters<typeof createOidcContext>[1];

type ProtocolParts = Pick<OidcDeps, "isRefused" | "clientUses" | "accountNames" | "starter" | "pages" | "regionCalls"> &
  Omit<PageParts, "config" | "suspensions">;

function createProtocols(config: Config, sessions: SessionStore | undefined, parts: ProtocolParts): Protocols {
  if (sessions === undefined) return { oidc: undefined, saml: undefined, singleLogout: undefined };
  const { base, state, sharedClock, clientUses, ...others } = parts;
  const built: { saml: SamlContext | undefined } = { saml: undefined };
  const oidc = createOidcContext(config, {
    ...base,
    ...others,
    redis: state,
    sharedClock,
    sessions,
    clientUses,
    onClosed: async (session) => built.saml?.logout.sessionEnded(session),
  });
  const onEnded = async (session: BrowserSessionRecord): Promise<void> => oidc?.endSessions.ended(session);
  const { domains } = parts;
  built.saml = createSamlContext(config, { base, state, sharedClock, sessions, onEnded, clientUses, domains });
  const singleLogout = createSingleLogout(sessions, oidc?.endSessions, built.saml?.logout);
  return { oidc, saml: built.saml, singleLogout };
}

/** The code that queues user notifications is loaded only where they are enabled. */
async function notificationsOf(config: Config, parts: NotificationParts): Promise<NotificationsContext | undefined> {
  if (!config.identity.frontend.enabled || !config.identity.notices.enabled) return undefined;
  const { createNotifications } = await import("./user-notifications/context.ts");
  return createNotifications(config, parts);
}

/** What ends a sign-in, for each kind of flow that an application starts, and what follows from it. */
function signInProtocols({ oidc, saml, singleLogout }: Protocols) {
  return {
    ends: {
      ...(oidc === undefined ? {} : { oidc: oidc.finish, device: deviceEnd }),
      ...(saml === undefined ? {} : { saml: saml.finish }),
    },
    onReplaced: async (session: BrowserSessionRecord): Promise<void> => singleLogout?.ended(session),
    onSignedIn: async (session: BrowserSessionRecord): Promise<void> => {
      const account = accountOfSession(session);
      if (account !== undefined) await oidc?.accounts.save(account);
    },
  };
}

function demandersOf({ oidc, saml }: Protocols) {
  return [
    ...(oidc === undefined
      ? []
      : [
          async (id: string) => (await oidc.applications.list(id)).map(({ demands }) => demands),
          async (id: string) => ((await oidc.mailSignIns.list(id)).length > 0 ? [oidc.mailSignIns.demands()] : []),
        ]),
    ...(saml === undefined ? [] : [saml.demandsOn]),
  ];
}

interface PagesParts extends PageParts, Vouching, Pick<AccountParts, "mailSetup" | "onAllEnded"> {
  readonly bus: Bus;
  readonly sessions: SessionStore | undefined;
  readonly protocols: Protocols;
  readonly notifications: NotificationsContext | undefined;
  readonly metrics: IdpMetrics;
  readonly regionCalls: RegionCalls | undefined;
}

/** Undefined while `identity.frontend.enabled` is off, or without the secret that encrypts sessions and flows. */
function createPagesContext(parts: PagesParts) {
  const { config, base, sessions, devices, protocols, notifications, metrics, mailSetup } = parts;
  const flowKeys = keyRingFromConfig(config, "flow");
  if (!config.identity.frontend.enabled || sessions === undefined || flowKeys === undefined) return undefined;
  const { oidc } = protocols;
  const visits = createVisitContext(parts, sessions, flowKeys);
  const secondFactors = createSecondFactors(parts, notifications?.notifier, flowKeys);
  const ends = signInProtocols(protocols);
  const deviceMemory = createDeviceMemory({
    devices,
    suspiciousSignIns: secondFactors.suspiciousSignIns,
    pages: visits.pages,
    lifeSeconds: Math.floor(config.identity.mfa.remembered_devices.lifetime / 1000),
    audit: base.audit,
    logger: base.logger,
  });
  const lostPhone = config.identity.mfa.lost_phone.enabled ? parts.lostPhone : undefined;
  const ofSignIn = {
    lostPhone,
    visits,
    secondFactors,
    deviceMemory,
    notifications,
    metrics,
    protocols: ends,
    flowKeys,
  };
  const signIn = createSignIn(parts, ofSignIn);
  return {
    visits,
    signIn,
    account: createAccount(config, {
      state: parts.state,
      bus: parts.bus,
      visits,
      secondFactors,
      deviceMemory,
      lostPhoneCodes: parts.lostPhone,
      signIn,
      mailSetup,
      applications: oidc?.applications,
      mailSignIns: oidc?.mailSignIns,
      demanders: demandersOf(protocols),
      onEnded: ends.onReplaced,
      onAllEnded: parts.onAllEnded,
    }),
    devUi: { enabled: config.runtime.developer_mode, version: randomUUID() },
    letGo: signIn.letGo,
    /** Resolves when every pending user notification and record of the decision history is stored or lost. */
    close: async (): Promise<void> => {
      await Promise.all([notifications?.close(), signIn.history?.close()]);
    },
  };
}

/** The protocols start flows on the pages, which are built after them. */
function pagesLater() {
  let built: ReturnType<typeof createPagesContext>;
  return {
    parts: { pages: () => built?.visits.pages, starter: starterOf(() => built?.visits.starts) },
    set: (pages: typeof built): void => {
      built = pages;
    },
  };
}

function configuredClients({ oidc }: Protocols) {
  return [...(oidc?.generations.current().policies.values() ?? [])].filter((one) => !one.isRegistered);
}

/** Everything that the identity provider consists of: only this file joins the features, each of which constructs itself. */
export async function createContext(config: Config, shared: SharedByProcess) {
  const base = await baseFromConfig(config, "idp", shared);
  const settings = idpSettings(config);
  const state = redisFromConfig(config, "state", base);
  accountChangesFromConfig(config, base, state);
  const sharedClock = watchRedisClock(state);
  const { bus, engineWatch } = await engineBusFromConfig(config, base);
  const names = flushSettings(config);
  const lastUses = createLastUses(config, base, state);
  const suspensions = suspensionsFromConfig(config, base, { redis: state, bus, clock: sharedClock });
  const { liveDomains, domains, isRefused } = createDomains(config, base, bus, suspensions);
  const sessions = createSessions(config, { redis: state, clock: sharedClock, isRefused });
  const regionCalls = await regionCallsFromConfig(config, base);
  const shown = { config, base, bus, state, sharedClock, suspensions, domains };
  const accountNames = accountNamesFromSettings({ bus, live: () => names });
  const later = pagesLater();
  const clients = { clientUses: lastUses.uses, accountNames, isRefused, regionCalls };
  const protocols = createProtocols(config, sessions, { ...shown, ...clients, ...later.parts });
  const metrics = createIdpMetrics(base.metrics, base.metricsPrefix);
  const notifications = await notificationsOf(config, { base, bus, state, metrics, domains });
  const mail = createMailClients(config, base, state, domains);
  const vouching = createVouching(config, state, sharedClock, regionCalls);
  serveSuspensions({ ...protocols, ...vouching, bus, sessions, notifications, suspensions, logger: base.logger });
  const regionParts = { redis: state, bus, sessions, singleLogout: protocols.singleLogout, logger: base.logger };
  const { onAllEnded } = createRegionSessions(config, regionParts);
  const parts = { ...shown, sessions, protocols, notifications, metrics, regionCalls };
  if (regionCalls !== undefined) serveRegionCalls(config, { ...protocols, calls: regionCalls, state, sharedClock });
  const pages = createPagesContext({ ...parts, ...vouching, mailSetup: mail?.setup, onAllEnded });
  later.set(pages);
  return {
    ...base,
    ...protocols,
    clientUses: lastUses.uses,
    listApplications: createListApplications(
      () => configuredClients(protocols),
      () => protocols.saml?.listProviders() ?? [],
      lastUses.store,
      nowMs,
    ),
    pages,
    /** Undefined while `identity.mail_clients.enabled` is off. */
    mailClients: mail?.documents,
    settings,
    bus,
    engineWatch,
    /** Undefined if there is one region only. */
    regionCalls,
    state,
    suspensions,
    liveDomains,
    readCaller: createCallerReader(createCallerVerifier({ secret: settings.assertionSecret }, "idp", sharedClock)),
    /** The OpenAPI document that anyone may read. */
    openapi: lazyOpenapi("idp", config),
    health: createIdpHealth(config, base, { bus, state, clock: sharedClock }, protocols.oidc),
  };
}

export type IdpContext = Awaited<ReturnType<typeof createContext>>;
