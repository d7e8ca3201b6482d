import { keyRingFromConfig } from "@postern/shared/assembly";
import { createRevoker } from "@postern/shared/domain/tokens";
import type { Config } from "@postern/shared/platform/config";
import { steadyClock, systemClock } from "@postern/shared/platform/time";
import { deliveryLeaseMs } from "../logout-delivery/delivery-queue.ts";
import { createFindAccount, createSubjectsOfAccount } from "./accounts/accounts.ts";
import { createOidcAccounts } from "./accounts/accounts-redis.ts";
import { createConsoleClaims } from "./claims/console-claims.ts";
import { createClientsFeature } from "./clients-feature.ts";
import { createDeviceCodes } from "./device/device.ts";
import { createDeviceLimits } from "./device/device-limits-redis.ts";
import { createConsents } from "./grants/consents-redis.ts";
import { createKeepGrant } from "./grants/grant-life.ts";
import { createKeyAdministration } from "./keys/key-administration.ts";
import { rotationRules, staticKeys } from "./keys/signing-keys.ts";
import { createSigningKeyStore } from "./keys/signing-keys-redis.ts";
import { createEndSessions } from "./logout/end-sessions.ts";
import { createLogoutDeliveries } from "./logout/logout-deliveries-redis.ts";
import { createLogoutDelivery } from "./logout/logout-delivery.ts";
import { createOidcMetrics } from "./metrics/oidc-metrics.ts";
import type { OidcDeps, OidcParts, OidcStores } from "./parts.ts";
import type { Generations } from "./provider/generation.ts";
import { KeySchedule } from "./provider/key-schedule.ts";
import { createOutcomes } from "./provider/outcomes-redis.ts";
import { createProviderFeature } from "./provider-feature.ts";
import { createManageClient } from "./registration/manage-client.ts";
import { type ClientFault, createRegisterClient } from "./registration/register-client.ts";
import { createRegisteredClients } from "./registration/registered-clients.ts";
import { createRegistrations } from "./registration/registrations-redis.ts";
import { createSessionsFeature } from "./sessions-feature.ts";
import { deliveryTimes, type OidcSettings, oidcSettings, oidcSignatures } from "./settings/oidc-settings.ts";
import { createRecordTimes } from "./storage/record-times.ts";
import { createOidcStore, digestOfId } from "./storage/store-redis.ts";
import { clientResourceOf } from "./tokens/access-tokens.ts";
import { createCheckProof, createDpopNonces, type DpopNonces } from "./tokens/dpop.ts";
import { createResolveToken } from "./tokens/resolve-token.ts";
import { createTokenRecords } from "./tokens/token-records.ts";
import { createReportUnreadable } from "./tokens/unreadable-claims.ts";

/** The end of sessions, and back-channel logout, whose delivery is started together with the key schedule. */
function createLogoutFeature(parts: OidcParts, { store, records }: OidcStores, generations: Generations) {
  const { redis, keyPrefix, keys, logger, sessions, settings, counted } = parts;
  const times = () => deliveryTimes(settings());
  const deliveries = createLogoutDeliveries({ redis, keyPrefix, keys, leaseMs: () => deliveryLeaseMs(times()) });
  const delivery = createLogoutDelivery({
    deliveries,
    generations,
    logger,
    count: (result) => counted.logoutDelivery(result),
    times,
  });
  const endSessions = createEndSessions({
    sessions,
    records,
    store,
    deliveries,
    policies: () => generations.current().policies,
    tellsClients: () => settings().oidc.logout.back_channel_supported,
    wake: () => delivery.wake(),
    onClosed: parts.onClosed,
  });
  return { endSessions, delivery };
}

/** One day more than the longest refresh token: an account outlives its tokens. */
function longestLifeSeconds({ oidc }: OidcSettings): number {
  const lives = oidc.clients.map(({ refresh_token_lifetime: life }) => life);
  const { mail_registration: mail } = oidc;
  if (mail.enabled) lives.push(mail.refresh_token_lifetime);
  return Math.ceil(Math.max(oidc.tokens.default_refresh_token_lifetime, ...lives) / 1000) + 86_400;
}

function createStores({
  redis,
  sharedClock: clock,
  keyPrefix,
  keys,
  settings,
  initial,
  logger,
}: OidcParts): OidcStores {
  const digestOf = digestOfId;
  const refreshGraceMs = (): number => settings().oidc.tokens.refresh_token_grace;
  const store = createOidcStore({ redis, keyPrefix, keys, clock, refreshGraceMs });
  const times = createRecordTimes({ own: systemClock, shared: clock });
  const accounts = createOidcAccounts(redis, keyPrefix, keys, () => longestLifeSeconds(settings()));
  const keepGrant = createKeepGrant({ store, accounts, digestOf, clock, times });
  const revoker = createRevoker(redis, keyPrefix, clock);
  const registrations = createRegistrations({ redis, keyPrefix, keys, clock: systemClock });
  const unusedSeconds = (kind: "mail" | "full"): number => {
    const { mail_registration: mail, dynamic_registration: full } = settings().oidc;
    return Math.ceil((kind === "mail" ? mail : full).unused_ttl / 1000);
  };
  const intervalSeconds = (): number => settings().oidc.device_flow.polling_interval;
  return {
    store,
    times,
    digestOf,
    accounts,
    subjectsOfAccount: createSubjectsOfAccount(accounts),
    consents: createConsents({ redis, keyPrefix, keys }),
    keepGrant,
    outcomes: createOutcomes(redis, keyPrefix, keys, steadyClock),
    records: createTokenRecords({ store, revoker, issuer: initial.issuer, clock, times, digestOf, keepGrant }),
    reportUnreadable: createReportUnreadable(logger, clock),
    deviceLimits: createDeviceLimits({ redis, keyPrefix, intervalSeconds }),
    registrations,
    registered: createRegisteredClients({ registrations, clock: systemClock, unusedSeconds }),
  };
}

function createRegistrationFeature(
  { settings }: OidcParts,
  { registrations, records }: OidcStores,
  faultOf: ClientFault,
) {
  const oidc = () => settings().oidc;
  return {
    registerClient: createRegisterClient({ registrations, settings: oidc, faultOf, clock: systemClock }),
    manageClient: createManageClient({
      registrations,
      records,
      settings: () => oidc().dynamic_registration,
      faultOf,
    }),
  };
}

/** Checks proofs of possession. The secret of the nonces changes only with a reload. */
function createProofCheck({ settings, sharedClock }: OidcParts, { store }: OidcStores) {
  let known: { readonly secret: Buffer; readonly nonces: DpopNonces } | undefined;
  const nonces = (): DpopNonces | undefined => {
    const { nonceSecret: secret } = settings();
    if (secret === undefined) return undefined;
    if (known?.secret !== secret) known = { secret, nonces: createDpopNonces(secret, sharedClock) };
    return known.nonces;
  };
  return createCheckProof(store, oidcSignatures, systemClock, nonces);
}

/** Signing keys, the schedule that applies them and the configuration, and their administration. */
function createKeysFeature(parts: OidcParts, generations: Generations) {
  const { redis, sharedClock: clock, keyPrefix, keys: ring, logger, initial } = parts;
  const keys = createSigningKeyStore({
    redis,
    keyPrefix,
    keys: ring,
    clock,
    rules: () => rotationRules(schedule.settings),
    onCreated: (kids) => logger.info({ kids }, "signing keys created"),
  });
  const schedule: KeySchedule = new KeySchedule({
    keys,
    staticKeys,
    generations,
    clock,
    settings: initial,
    onError: (err) => logger.error({ err }, "the signing keys or clients cannot be used"),
  });
  return { schedule, keyAdministration: createKeyAdministration(keys, staticKeys, schedule, clock) };
}

/** OIDC, built and not yet started; undefined while `identity.oidc.enabled` is false. */
export function createOidcContext(config: Config, deps: OidcDeps) {
  const initial = oidcSettings(config);
  const keys = keyRingFromConfig(config, "oidc");
  if (!initial.enabled || keys === undefined) return undefined;
  let settings = (): OidcSettings => initial;
  const metrics = createOidcMetrics(deps.metrics, deps.metricsPrefix);
  const { prefix: keyPrefix } = config.storage.redis;
  const parts: OidcParts = { ...deps, counted: metrics, keyPrefix, keys, initial, settings: () => settings() };
  const { issuer, identifier } = initial;
  const { sessions, sharedClock: clock, logger } = deps;

  const stores = createStores(parts);
  const provider = createProviderFeature(parts, stores);
  const { generations } = provider;
  const { schedule, keyAdministration } = createKeysFeature(parts, generations);
  settings = () => schedule.settings;
  const logout = createLogoutFeature(parts, stores, generations);
  const { store, times, digestOf, accounts, records } = stores;
  return {
    issuer,
    identifier,
    logger,
    metrics,
    ...stores,
    ...provider,
    schedule,
    keyAdministration,
    ...createRegistrationFeature(parts, stores, (registration) => generations.current().faultOf(registration)),
    ...createClientsFeature(parts, stores, generations),
    resolve: createResolveToken({
      store,
      accounts,
      digestOf,
      clock,
      verificationKey: (kid) => generations.current().publicKeys.get(kid),
    }),
    checkProof: createProofCheck(parts, stores),
    consoleClaims: createConsoleClaims(config.runtime.console.client_id, sessions),
    devices: createDeviceCodes({
      current: () => generations.current(),
      store,
      times,
      findAccount: createFindAccount(accounts, sessions),
      sessions,
      records,
      clientResource: (clientId) => clientResourceOf(identifier, clientId),
    }),
    ...logout,
    ...createSessionsFeature(parts, stores, { generations, endSessions: logout.endSessions }),
  };
}

export type OidcContext = NonNullable<ReturnType<typeof createOidcContext>>;
