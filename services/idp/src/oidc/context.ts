import { keyRingFromConfig, regionLogFromConfig } from "@postern/shared/assembly";
import { type Config, clientDefaults } from "@postern/shared/platform/config";
import { systemClock } from "@postern/shared/platform/time";
import { demandsOf } from "../second-factors/sign-in-demands.ts";
import { createConsoleClaims } from "./claims/claims.ts";
import { createClientsFeature } from "./clients-feature.ts";
import { createDeviceCodes } from "./device/device.ts";
import { createDeviceLimits } from "./device/device-limits-redis.ts";
import { createRefuseClient } from "./http/replies.ts";
import { createKeyAdministration } from "./keys/key-administration.ts";
import { rotationRules } from "./keys/signing-keys.ts";
import { createSigningKeyStore } from "./keys/signing-keys-redis.ts";
import { createEndSessions, type EndSessions } from "./logout/end-sessions.ts";
import { createLogoutDeliveries } from "./logout/logout-deliveries-redis.ts";
import { createLogoutDelivery } from "./logout/logout-delivery.ts";
import { createOidcMetrics } from "./metrics/oidc-metrics.ts";
import { createBridge } from "./provider/bridge.ts";
import { createFinish } from "./provider/finish.ts";
import { createGenerations, type Generation, type Generations } from "./provider/generation.ts";
import { createHooks } from "./provider/hooks.ts";
import { KeySchedule } from "./provider/key-schedule.ts";
import { createManageClient } from "./registration/manage-client.ts";
import { createRegisterClient } from "./registration/register-client.ts";
import type { Registration } from "./registration/registration.ts";
import { createApplications } from "./sessions/connected-applications.ts";
import { createMailSignIns } from "./sessions/mail-sign-ins.ts";
import { createBrowserSessionList, createOidcSessions } from "./sessions/session-list.ts";
import { createOwnersOf } from "./sessions/session-owner.ts";
import { oidcSignatures } from "./settings/client-profile.ts";
import { deliveryTimes, type OidcSettings, oidcSettings } from "./settings/oidc-settings.ts";
import { createUserCodes } from "./settings/user-codes.ts";
import { createOidcState, type OidcDeps, type OidcParts, type OidcState } from "./state/context.ts";
import { createCheckProof, createDpopNonces, type DpopNonces } from "./tokens/dpop.ts";
import { createResolveToken, type MayUse } from "./tokens/resolve-token.ts";

/** The end of sessions, and back-channel logout, whose delivery is started together with the key schedule. */
function createLogoutFeature(parts: OidcParts, state: OidcState, generations: Generations) {
  const times = () => deliveryTimes(parts.settings());
  const deliveries = createLogoutDeliveries(parts, times);
  const delivery = createLogoutDelivery(parts, deliveries, generations, times);
  return { endSessions: createEndSessions(parts, state, { generations, deliveries, delivery }), delivery };
}

function createRegistrationFeature(parts: OidcParts, { registrations, records }: OidcState, generations: Generations) {
  const settings = () => parts.settings().oidc;
  const faultOf = (registration: Registration) => generations.current().faultOf(registration);
  return {
    registerClient: createRegisterClient(registrations, settings, faultOf, {
      clock: systemClock,
      region: parts.regionCalls?.name,
    }),
    manageClient: createManageClient(registrations, records, () => settings().dynamic_registration, faultOf),
  };
}

/** Checks proofs of possession. The secret of the nonces changes only with a reload. */
function createProofCheck({ settings, sharedClock }: OidcParts, { store }: OidcState) {
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
  const keys = createSigningKeyStore(parts, () => rotationRules(schedule.settings));
  const { sharedClock: clock, initial: settings, logger } = parts;
  const schedule: KeySchedule = new KeySchedule({
    keys,
    generations,
    clock,
    settings,
    onError: (err) => logger.error({ err }, "the signing keys or clients cannot be used"),
  });
  return { schedule, keyAdministration: createKeyAdministration(keys, schedule, clock) };
}

/** Sessions and connected applications, as operators and users see them. */
function createSessionsFeature(
  parts: OidcParts,
  state: OidcState,
  { policies, endSessions }: { readonly policies: () => Generation["policies"]; readonly endSessions: EndSessions },
) {
  const { sessions, settings, sharedClock, onClosed } = parts;
  const nowSeconds = (): number => Math.floor(sharedClock.now() / 1000);
  const mailDemands = () => {
    const { oidc, mfaPolicy } = settings();
    return demandsOf({ ...clientDefaults, require_mfa: oidc.mail_registration.require_mfa }, mfaPolicy);
  };
  return {
    oidcSessions: createOidcSessions(state, nowSeconds),
    browserSessions: createBrowserSessionList(sessions, endSessions, onClosed),
    ownersOf: createOwnersOf({ ...parts, ...state, policies }),
    mailSignIns: createMailSignIns(parts, state, mailDemands),
    applications: createApplications(parts, state, policies),
  };
}

function createMayUse({ isRefused, domains }: OidcParts, policies: () => Generation["policies"]): MayUse {
  return async (account, clientId) => {
    if (await isRefused(account)) return false;
    const limit = policies().get(clientId)?.limit;
    return limit === undefined || domains.isWithin(account, limit);
  };
}

/** OIDC, built and not yet started; undefined while `identity.oidc.enabled` is false. */
export function createOidcContext(config: Config, deps: OidcDeps) {
  const initial = oidcSettings(config);
  const keys = keyRingFromConfig(config, "oidc");
  if (!initial.enabled || keys === undefined) return undefined;
  let settings = (): OidcSettings => initial;
  const metrics = createOidcMetrics(deps.metrics, deps.metricsPrefix);
  const { prefix: keyPrefix } = config.storage.redis;
  const userCodes = createUserCodes(deps.regionCalls, () => settings().oidc.device_flow.user_code_length);
  const { redis, sessions, logger, audit } = deps;
  const common = { ...deps, counted: metrics, keyPrefix, keys, regionLog: regionLogFromConfig(config, redis) };
  const parts: OidcParts = { ...common, initial, userCodes, settings: () => settings() };
  const { issuer, identifier } = initial;

  const state = createOidcState(parts);
  const intervalSeconds = (): number => settings().oidc.device_flow.polling_interval;
  const deviceLimits = createDeviceLimits(redis, keyPrefix, intervalSeconds);
  const current = (): Generation => generations.current();
  const policies = () => current().policies;
  const generations: Generations = createGenerations(createHooks(parts, state, deviceLimits.mayPoll, policies));
  const bridge = createBridge(current);
  const keysFeature = createKeysFeature(parts, generations);
  settings = () => keysFeature.schedule.settings;
  const logout = createLogoutFeature(parts, state, generations);
  const mayUse = createMayUse(parts, policies);
  return {
    issuer,
    identifier,
    logger,
    audit,
    metrics,
    domains: deps.domains,
    ...state,
    generations,
    current,
    policies,
    bridge,
    finish: createFinish({ parts, state, current, bridge }),
    ...keysFeature,
    ...createRegistrationFeature(parts, state, generations),
    ...createClientsFeature(parts, state, policies),
    refuse: createRefuseClient(issuer, logger),
    resolve: createResolveToken(state.store, state.accounts, { ...parts, mayUse }, (kid) =>
      current().publicKeys.get(kid),
    ),
    checkProof: createProofCheck(parts, state),
    consoleClaims: createConsoleClaims(config.runtime.console.client_id, sessions),
    deviceLimits,
    devices: createDeviceCodes(parts, state, current),
    ...logout,
    ...createSessionsFeature(parts, state, { policies, endSessions: logout.endSessions }),
  };
}

export type OidcContext = NonNullable<ReturnType<typeof createOidcContext>>;
