import { type Base, keyRingFromConfig } from "@postern/shared/assembly";
import { mailServiceTable } from "@postern/shared/domain/mail-clients";
import type { Config } from "@postern/shared/platform/config";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import { createMailClientMetrics } from "../mail-clients/mail-client-metrics.ts";
import { createMailSetup, type MailSetup } from "../mail-clients/mail-setup.ts";
import { createProfileOffers } from "../mail-clients/profile-offers-redis.ts";
import { profileSigningKey } from "../mail-clients/profile-signing-key.ts";
import type { MailClientDeps } from "../routes/mail-clients/deps.ts";

export interface MailClientsContext {
  readonly documents: MailClientDeps;
  /** Undefined where there are no pages. */
  readonly setup: MailSetup | undefined;
}

/** Undefined while `identity.mail_clients.enabled` is off. */
export function createMailClients(config: Config, base: Base, state: RedisClient): MailClientsContext | undefined {
  const { mail_clients: clients, frontend, notices } = config.identity;
  if (!clients.enabled) return undefined;
  const services = mailServiceTable(config);
  const keys = frontend.enabled ? keyRingFromConfig(config, "mail-profile") : undefined;
  const offers = keys === undefined ? undefined : createProfileOffers(state, config.storage.redis.prefix, keys);
  const documents = {
    services,
    offers,
    signingKey: profileSigningKey(config),
    metrics: createMailClientMetrics(base.metrics, base.metricsPrefix),
    logger: base.logger,
    nowMs: () => systemClock.now(),
  };
  const addressAttribute = notices.mail.address_attribute;
  return { documents, setup: offers && createMailSetup(services, offers, addressAttribute) };
}
