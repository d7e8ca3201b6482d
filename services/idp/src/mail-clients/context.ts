import { type Base, keyRingFromConfig } from "@postern/shared/assembly";
import { mailServiceTable } from "@postern/shared/domain/mail-clients";
import type { Config } from "@postern/shared/platform/config";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import { createMailClientMetrics } from "./mail-client-metrics.ts";
import { createMailSetup } from "./mail-setup.ts";
import { createProfileOffers } from "./profile-offers-redis.ts";
import { profileSigningKey } from "./profile-signing-key.ts";

/** Undefined while `identity.mail_clients.enabled` is off. */
export function createMailClients(config: Config, base: Base, state: RedisClient) {
  const { mail_clients: clients, frontend, notices } = config.identity;
  if (!clients.enabled) return undefined;
  const services = mailServiceTable(config);
  const keys = frontend.enabled ? keyRingFromConfig(config, "mail-profile") : undefined;
  const offers = keys === undefined ? undefined : createProfileOffers(state, config.storage.redis.prefix, keys);
  const documents = {
    services,
    /** Undefined where there are no pages, on which users create profiles. */
    offers,
    /** Undefined: profiles are not signed. */
    signingKey: profileSigningKey(config),
    metrics: createMailClientMetrics(base.metrics, base.metricsPrefix),
    logger: base.logger,
    nowMs: (): number => systemClock.now(),
  };
  const addressAttribute = notices.mail.address_attribute;
  return { documents, setup: offers && createMailSetup(services, offers, addressAttribute) };
}

export type MailClientDocuments = NonNullable<ReturnType<typeof createMailClients>>["documents"];
