import type { Audit } from "@postern/shared/domain/audit";
import type { Bus } from "@postern/shared/platform/bus";
import type { KeyRing } from "@postern/shared/platform/crypto";
import type { Logger } from "@postern/shared/platform/logging";
import type { RedisClient } from "@postern/shared/platform/redis";
import type { FrontendSettings } from "../../frontend-settings.ts";
import { auditFactorStore, auditFactors } from "../../mfa/audited-factors.ts";
import { createFactorGuard } from "../../mfa/factor-guard-redis.ts";
import type { FactorProofs } from "../../mfa/factor-proofs.ts";
import { createFactorStore } from "../../mfa/factor-store-nats.ts";
import { createFactors } from "../../mfa/factors-nats.ts";
import { createPasskeyAttempts } from "../../mfa/passkey-attempts-redis.ts";
import { createPendingProofs } from "../../mfa/pending-proofs-redis.ts";
import { noteRemovedPasskeys } from "../../mfa/removed-passkeys.ts";
import { createRemovedPasskeys } from "../../mfa/removed-passkeys-redis.ts";
import { createSelfService } from "../../mfa/self-service.ts";
import { createCeremonies } from "../../mfa/webauthn/ceremonies.ts";
import type { LoginDeps } from "../../routes/login/deps.ts";
import type { Notification, Notify } from "../../user-notifications/notification.ts";
import type { Notifier } from "../../user-notifications/notifier.ts";

export interface FactorParts {
  readonly bus: Bus;
  readonly state: RedisClient;
  readonly keyPrefix: string;
  readonly keys: KeyRing;
  readonly settings: FrontendSettings;
  readonly nowMs: () => number;
  readonly totpTimesMs: () => readonly number[];
  readonly logger: Logger;
  readonly audit: Audit;
  readonly notifier: Notifier | undefined;
  readonly proofs: FactorProofs;
}

type FactorsFeature = Pick<
  LoginDeps,
  | "factors"
  | "store"
  | "guard"
  | "maxFactorFailures"
  | "passkeyAttempts"
  | "removedPasskeys"
  | "ceremonies"
  | "notify"
  | "notifier"
  | "self"
>;

/** Second factors, at sign-in and in self-service. */
export function createFactorsFeature(parts: FactorParts): FactorsFeature {
  const { bus, state, keyPrefix, keys, settings, nowMs, totpTimesMs, logger, audit, notifier, proofs } = parts;
  const removedPasskeys = createRemovedPasskeys(state, keyPrefix, logger);
  const store = auditFactorStore(noteRemovedPasskeys(createFactorStore(bus), removedPasskeys), audit);
  const pending = createPendingProofs(state, keyPrefix, keys);
  const guard = createFactorGuard(state, keyPrefix, {
    maxAttempts: settings.maxFactorAttempts,
    maxFailures: settings.maxFactorFailures,
  });
  const passkeyAttempts = createPasskeyAttempts(state, keyPrefix);
  const ceremonies = createCeremonies({ settings: settings.webauthn, pending, store, nowMs });
  const notify: Notify = (notification: Notification): void => {
    const { event, factor, account, session } = notification;
    logger.info({ session, event, factor, account }, "second factor changed or used");
    notifier?.notify(notification);
  };
  const { totpIssuer, totpSkew } = settings;
  const factors = auditFactors(createFactors(bus), audit);
  const totpSecret: typeof factors.totpSecret = (account, context) => factors.totpSecret(account, context);
  const changing = { store, pending, guard, ceremonies, notify, proofs };
  const self = createSelfService({ ...changing, totpSecret, totpIssuer, totpSkew, totpTimesMs });
  const { maxFactorFailures } = settings;
  return {
    factors,
    store,
    guard,
    maxFactorFailures,
    passkeyAttempts,
    removedPasskeys,
    ceremonies,
    notify,
    notifier,
    self,
  };
}
