import { keyRingFromConfig } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/config";
import type { KeyRing } from "@postern/shared/crypto";
import type { Logger } from "@postern/shared/logging";
import type { Metrics } from "@postern/shared/metrics";
import type { RedisClient } from "@postern/shared/redis";
import { systemClock } from "@postern/shared/time";
import { createRevoker } from "@postern/shared/tokens";
import type { FlowStarter } from "../flow/flow-port.ts";
import type { ConnectedApplications } from "../login/connected-applications.ts";
import type { DeliveryLoop } from "../logout-notices/delivery-loop.ts";
import { noticeLeaseMs } from "../logout-notices/notice-queue.ts";
import { clientResourceOf } from "../oidc/access-tokens.ts";
import type { OidcAccounts } from "../oidc/accounts.ts";
import { createOidcAccounts } from "../oidc/accounts-redis.ts";
import { createAdapterFactory } from "../oidc/adapter.ts";
import { createSessionAdapter } from "../oidc/adapter-session.ts";
import { createApplications } from "../oidc/applications.ts";
import { isFault, tellingClients } from "../oidc/authorize-failure.ts";
import { type Bridge, createBridge } from "../oidc/bridge.ts";
import { type AuthenticateClient, createClientAuth } from "../oidc/client-auth.ts";
import { createConsents } from "../oidc/consents-redis.ts";
import { createDeviceCodes, type DeviceCodes } from "../oidc/device.ts";
import type { DeviceBrake } from "../oidc/device-brake.ts";
import { createDeviceBrake } from "../oidc/device-brake-redis.ts";
import { createEndSessions, type EndSessions } from "../oidc/end-sessions.ts";
import { createFinish } from "../oidc/finish.ts";
import { createGenerations, type Generations } from "../oidc/generation.ts";
import { createKeepGrant, type KeepGrant } from "../oidc/grant-life.ts";
import { createInteractionUrl } from "../oidc/interaction-url.ts";
import { createKeySchedule, type KeySchedule } from "../oidc/key-schedule.ts";
import { createLogoutDelivery } from "../oidc/logout-delivery.ts";
import { createLogoutNotices } from "../oidc/logout-notices-redis.ts";
import { createOidcMetrics, type OidcMetrics } from "../oidc/oidc-metrics.ts";
import { noticeTimes, type OidcSettings, oidcSettings, rotationRules } from "../oidc/oidc-settings.ts";
import type { ProviderHooks } from "../oidc/provider.ts";
import { createResolveToken, type ResolveToken } from "../oidc/resolve-token.ts";
import { accountOfSession } from "../oidc/session-account.ts";
import { createOidcSessions, type OidcSessions } from "../oidc/session-list.ts";
import { createOwnersOf, type OwnersOf } from "../oidc/session-owner.ts";
import { createSigningKeyStore } from "../oidc/signing-keys-redis.ts";
import { staticKeys } from "../oidc/static-keys.ts";
import type { OidcStore } from "../oidc/store.ts";
import { createOidcStore, digestOfId } from "../oidc/store-redis.ts";
import { createTokenRecords, type TokenRecords } from "../oidc/token-records.ts";
import type { Pages } from "../pages/pages.ts";
import { createRenderError } from "../routes/oidc/render-error.ts";
import type { BrowserSessionRecord } from "../sessions/browser-session-port.ts";
import { sessionCookieName } from "../sessions/cookies.ts";
import type { SessionStore } from "../sessions/session-store.ts";

export interface OidcDeps {
  readonly redis: RedisClient;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly metricsPrefix: string;
  /** For errors that only the browser may see. */
  readonly pages: () => Pages | undefined;
  readonly sessions: SessionStore;
  /** A session was ended by an operator: other protocols tell those who know of it. */
  readonly onClosed: (session: BrowserSessionRecord) => Promise<void>;
  /** Begins the pages of a sign-in or a consent. */
  readonly starter: FlowStarter;
}

/** The OIDC core, made and not yet started. */
export interface OidcContext {
  readonly issuer: string;
  readonly generations: Generations;
  readonly schedule: KeySchedule;
  readonly bridge: Bridge;
  readonly store: OidcStore;
  readonly accounts: OidcAccounts;
  readonly records: TokenRecords;
  readonly resolve: ResolveToken;
  readonly authenticate: AuthenticateClient;
  readonly brake: DeviceBrake;
  readonly finish: ReturnType<typeof createFinish>;
  readonly devices: DeviceCodes;
  readonly oidcSessions: OidcSessions;
  readonly ownersOf: OwnersOf;
  readonly identifier: string;
  readonly logger: Logger;
  readonly metrics: OidcMetrics;
  readonly endSessions: EndSessions;
  /** Of logout notices; started with the schedule. */
  readonly delivery: DeliveryLoop;
  readonly applications: ConnectedApplications;
  readonly digestOf: (id: string) => string;
}

const securityPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'";

function longestLifeSeconds({ oidc }: OidcSettings): number {
  const lives = oidc.clients.map(({ refresh_token_lifetime: life }) => life);
  return Math.ceil(Math.max(oidc.tokens.default_refresh_token_lifetime, ...lives) / 1000) + 86_400;
}

interface Stores {
  readonly store: OidcStore;
  readonly keepGrant: KeepGrant;
  readonly accounts: OidcAccounts;
  readonly records: TokenRecords;
  readonly brake: DeviceBrake;
}

interface Parts extends OidcDeps {
  readonly counted: OidcMetrics;
  readonly prefix: string;
  readonly keys: KeyRing;
  readonly settings: () => OidcSettings;
}

function createStores({ redis, prefix, keys, settings }: Parts): Stores {
  const clock = systemClock;
  const refreshGraceMs = (): number => settings().oidc.tokens.refresh_token_grace;
  const store = createOidcStore({ redis, prefix, keys, clock, refreshGraceMs });
  const revoker = createRevoker({ redis, prefix, clock });
  const accounts = createOidcAccounts({ redis, prefix, keys, ttlSeconds: () => longestLifeSeconds(settings()) });
  const keepGrant = createKeepGrant({ store, accounts, digestOf: digestOfId, clock });
  const { issuer } = settings();
  return {
    store,
    accounts,
    keepGrant,
    records: createTokenRecords({ store, revoker, issuer, clock, digestOf: digestOfId, keepGrant }),
    brake: createDeviceBrake({ redis, prefix, intervalSeconds: () => settings().oidc.device_flow.polling_interval }),
  };
}

function createHooks(parts: Parts, stores: Stores, hasConsented: ProviderHooks["hasConsented"]): ProviderHooks {
  const { sessions, logger, settings, starter } = parts;
  const { store, accounts, records, brake, keepGrant } = stores;
  return {
    adapter: createAdapterFactory({
      store,
      digestOf: digestOfId,
      sessions: createSessionAdapter({ sessions, revokeSession: (session) => records.revokeSession(session) }),
      revokeGrant: (grantId) => records.revokeGrant(grantId),
      keepGrant,
      keepAccount: (accountId) => accounts.keep(accountId),
    }),
    sessionCookie: sessionCookieName(settings().issuer),
    interactionUrl: tellingClients(
      createInteractionUrl({
        starter,
        clients: () => settings().oidc.clients,
        mfaPolicy: () => settings().mfaPolicy,
      }),
    ),
    findAccount: tellingClients(async (accountId, sessionUid) => {
      const known = await accounts.find(accountId);
      if (known !== undefined || sessionUid === undefined) return known;
      // Signed in by another protocol: this is its first client here.
      const account = accountOfSession(await sessions.findByUid(sessionUid));
      if (account?.accountId !== accountId) return undefined;
      await accounts.save(account);
      return account;
    }),
    hasConsented: tellingClients(hasConsented),
    epochOf: (subject) => records.epochOf(subject),
    record: (token, epoch) => records.record(token, epoch),
    mayPoll: (deviceCode) => brake.mayPoll(deviceCode),
    pollingInterval: () => settings().oidc.device_flow.polling_interval,
    contentSecurityPolicy: securityPolicy,
    renderError: createRenderError(parts.pages),
    onGrant: (grantType, result) => parts.counted.grant(grantType, result),
    accountOf: (accountId) => accounts.find(accountId),
    nowSeconds: () => Math.floor(systemClock.now() / 1000),
    findSession: (uid) => sessions.findByUid(uid),
    onError: (event, err, session) => {
      if (event === "error" || event === "server_error" || isFault(err))
        logger.error({ event, session, err }, "OIDC request failed");
      else logger.info({ event, session, err }, "OIDC request refused");
    },
  };
}

function createEndings(
  parts: Parts,
  { store, records }: Stores,
  generations: Generations,
): Pick<OidcContext, "endSessions" | "delivery"> {
  const { redis, prefix, keys, logger, sessions, settings, counted } = parts;
  const times = () => noticeTimes(settings());
  const notices = createLogoutNotices({ redis, prefix, keys, leaseMs: () => noticeLeaseMs(times()) });
  const delivery = createLogoutDelivery({
    notices,
    generations,
    logger,
    count: (result) => counted.logoutNotice(result),
    times,
  });
  const endSessions = createEndSessions({
    sessions,
    records,
    store,
    notices,
    policies: () => generations.current().policies,
    tellsClients: () => settings().oidc.logout.back_channel_supported,
    wake: () => delivery.wake(),
    onClosed: parts.onClosed,
  });
  return { endSessions, delivery };
}

function createSchedule(config: Config, generations: Generations, parts: Parts): KeySchedule {
  const { redis, prefix, keys, logger } = parts;
  const settings = oidcSettings(config);
  const schedule: KeySchedule = createKeySchedule({
    keys: createSigningKeyStore({
      redis,
      prefix,
      keys,
      clock: systemClock,
      rules: () => rotationRules(schedule.settings),
      onMade: (kids) => logger.info({ kids }, "signing keys made"),
    }),
    staticKeys,
    generations,
    clock: systemClock,
    settings,
    onError: (err) => logger.error({ err }, "the signing keys or clients cannot be used"),
  });
  return schedule;
}

/** Undefined while `identity.oidc.enabled` is false. */
export function createOidcContext(config: Config, deps: OidcDeps): OidcContext | undefined {
  const first = oidcSettings(config);
  const keys = keyRingFromConfig(config, "oidc");
  if (!first.enabled || keys === undefined) return undefined;
  const { redis } = deps;
  const { prefix } = config.storage.redis;
  const holder: { settings: () => OidcSettings } = { settings: () => first };
  const counted = createOidcMetrics(deps.metrics, deps.metricsPrefix);
  const parts: Parts = { ...deps, counted, prefix, keys, settings: () => holder.settings() };
  const stores = createStores(parts);
  const consents = createConsents({ redis, prefix, keys });
  const hooks = createHooks(parts, stores, (...asked) => consents.has(...asked));
  const generations = createGenerations(hooks);
  const schedule = createSchedule(config, generations, parts);
  holder.settings = () => schedule.settings;
  const current = () => generations.current();
  const bridge = createBridge(current);
  const clock = systemClock;
  const policies = () => current().policies;
  const { store, accounts } = stores;
  const verificationKey = (kid: string) => current().publicKeys.get(kid);
  return {
    ...stores,
    issuer: first.issuer,
    generations,
    schedule,
    bridge,
    digestOf: digestOfId,
    resolve: createResolveToken({ store, accounts, digestOf: digestOfId, clock, verificationKey }),
    authenticate: createClientAuth({ policies, store, issuer: first.issuer, clock }),
    devices: createDeviceCodes({
      ...stores,
      current,
      sessions: deps.sessions,
      clientResource: (clientId) => clientResourceOf(first.identifier, clientId),
    }),
    oidcSessions: createOidcSessions({
      ...stores,
      digestOf: digestOfId,
      nowSeconds: () => Math.floor(clock.now() / 1000),
    }),
    ownersOf: createOwnersOf({ accounts, sessions: deps.sessions, policies }),
    identifier: first.identifier,
    logger: deps.logger,
    metrics: counted,
    ...createEndings(parts, stores, generations),
    applications: createApplications({
      store,
      records: stores.records,
      consents,
      sessions: deps.sessions,
      clients: () => schedule.settings.oidc.clients,
      mfaPolicy: () => schedule.settings.mfaPolicy,
    }),
    finish: createFinish({ current, bridge, consents, sessions: deps.sessions, accounts }),
  };
}
