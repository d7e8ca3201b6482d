import { factMarksFromConfig, keyRingFromConfig, rememberedDevicesFromConfig } from "@postern/shared/assembly";
import { createEnrolments } from "@postern/shared/domain/enrolments";
import { createLostPhoneCodes } from "@postern/shared/domain/lost-phone";
import type { RegionCalls } from "@postern/shared/domain/region-calls";
import type { RememberedDevices } from "@postern/shared/domain/remembered-devices";
import {
  createIsDoubted,
  createRiskNames,
  createRiskReviews,
  createRiskStore,
  riskSettings,
} from "@postern/shared/domain/risk";
import type { Bus } from "@postern/shared/platform/bus";
import type { Config } from "@postern/shared/platform/config";
import type { KeyRing } from "@postern/shared/platform/crypto";
import type { RedisClient } from "@postern/shared/platform/redis";
import { type Clock, systemClock } from "@postern/shared/platform/time";
import type { Notification } from "../user-notifications/notification.ts";
import type { Notifier } from "../user-notifications/notifier.ts";
import type { PageParts } from "../visit/context.ts";
import { claimAtHome, createFactorClaims } from "./factor-claims-redis.ts";
import { createFactorGuard } from "./factor-guard-redis.ts";
import { createFactorProofs } from "./factor-proofs.ts";
import { FactorStore } from "./factor-store-nats.ts";
import { lostPhoneElsewhere } from "./lost-phone-elsewhere.ts";
import { createPasskeyAttempts, createRemovedPasskeys } from "./passkeys-redis.ts";
import { createPendingProofs } from "./pending-proofs-redis.ts";
import { totpTimes } from "./totp.ts";
import { createCeremonies, type WebauthnSettings } from "./webauthn/ceremonies.ts";

/** Values that are not configured are derived from the issuer, whose host browsers see. */
function webauthnSettings({ identity }: Config): WebauthnSettings {
  const { rp_id, rp_display_name, rp_origins, resident_key, authenticator_attachment } = identity.mfa.webauthn;
  const issuer = new URL(identity.oidc.issuer);
  return {
    rpId: rp_id === "" ? issuer.hostname : rp_id,
    rpName: rp_display_name === "" ? identity.frontend.branding.name : rp_display_name,
    origins: rp_origins.length === 0 ? [issuer.origin] : rp_origins,
    residentKey: resident_key,
    attachment: authenticator_attachment === "" ? undefined : authenticator_attachment,
  };
}

/** What engines know of suspicious sign-ins, which the user's judgement changes, and what proves the user. */
function createDoubts({ config, state, sharedClock: clock }: PageParts) {
  const { auth, storage, runtime } = config;
  const { password_nonce: nonce, prefix: keyPrefix } = storage.redis;
  const settings = riskSettings(auth.risk);
  const names = createRiskNames(nonce);
  const store = createRiskStore(state, runtime.timeouts.decision, factMarksFromConfig(config, state));
  const reviews = createRiskReviews({ store, names, keyPrefix, settings: () => settings, clock });
  const knownAfterMinutes = (): number => settings.knownAfterMinutes;
  const suspiciousSignIns = { ...reviews, isDoubted: createIsDoubted(reviews, clock), knownAfterMinutes };
  const knownSince = async (account: string) => (await reviews.facts(account))?.sinceMinute;
  const enrolments = createEnrolments({ redis: state, keyPrefix, nonce, names, knownSince, knownAfterMinutes, clock });
  return { suspiciousSignIns, proofs: createFactorProofs(enrolments, suspiciousSignIns, () => clock.now()) };
}

/** Second factors, at sign-in and in self-service. */
export function createSecondFactors(
  parts: PageParts & {
    readonly bus: Bus;
    readonly devices: RememberedDevices | undefined;
    readonly regionCalls: RegionCalls | undefined;
  },
  notifier: Pick<Notifier, "notify"> | undefined,
  flowKeys: KeyRing,
) {
  const { config, base, bus, devices, state, sharedClock, regionCalls } = parts;
  const { logger, audit } = base;
  const { totp } = config.identity.mfa;
  const { prefix: keyPrefix } = config.storage.redis;
  const removedPasskeys = createRemovedPasskeys(state, keyPrefix, logger);
  const store = new FactorStore({ bus, removedPasskeys, devices, audit });
  const pending = createPendingProofs(state, keyPrefix, keyRingFromConfig(config, "pending-proof") ?? flowKeys);
  const nowMs = (): number => sharedClock.now();
  return {
    ...createDoubts(parts),
    store,
    pending,
    guard: createFactorGuard(state, keyPrefix, {
      maxAttempts: totp.max_attempts,
      maxFailures: totp.max_failures,
      claim: claimAtHome(createFactorClaims(state, keyPrefix), regionCalls),
      hasOtherRegions: regionCalls !== undefined,
    }),
    /** Number of consecutive wrong codes that locks a factor. */
    maxFactorFailures: totp.max_failures,
    passkeyAttempts: createPasskeyAttempts(state, keyPrefix),
    removedPasskeys,
    ceremonies: createCeremonies({ settings: webauthnSettings(config), pending, store, nowMs }),
    /** What time it may be, for codes of authenticator apps. */
    totpTimesMs: totpTimes(sharedClock, systemClock),
    totpSkew: totp.skew,
    notify: (notification: Notification): void => {
      const { event, factor, account, session } = notification;
      logger.info({ session, event, factor, account }, "second factor changed or used");
      notifier?.notify(notification);
    },
  };
}

export type SecondFactors = ReturnType<typeof createSecondFactors>;

/** What takes the place of a second factor. */
export function createVouching(config: Config, redis: RedisClient, clock: Clock, calls: RegionCalls | undefined) {
  return {
    /** Undefined without the secret that encrypts them. */
    devices: rememberedDevicesFromConfig(config, { redis, clock }),
    lostPhone: lostPhoneElsewhere(createLostPhoneCodes(redis, config.storage.redis.prefix, clock), calls),
  };
}

export type Vouching = ReturnType<typeof createVouching>;
