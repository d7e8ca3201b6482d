import { type Base, keyRingFromConfig } from "@postern/shared/assembly";
import { mailServiceTable } from "@postern/shared/domain/mail-clients";
import type { Config } from "@postern/shared/platform/config";
import type { Metrics } from "@postern/shared/platform/metrics";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import type { AccountDomains } from "../domains/account-domains.ts";
import type { MailServicesOf } from "./mail-address.ts";
import { createMailSetup } from "./mail-setup.ts";
import { createProfileOffers } from "./profile-offers-redis.ts";
import { profileSigningKey } from "./profile-signing-key.ts";

const formats = ["autoconfig", "autodiscover", "pacc", "profile"] as const;
const results = ["served", "unknown", "refused"] as const;

function createMailClientMetrics(registry: Metrics, prefix: string) {
  const requests = registry.counter({
    name: `${prefix}_idp_mail_settings_total`,
    help: "Requests for the settings of mail clients",
    labels: { format: formats, result: results },
  });
  return {
    /** `unknown`: no settings for the domain, or a profile that is no longer offered. `refused`: a request that cannot be read, or for another schema. */
    requested: (format: (typeof formats)[number], result: (typeof results)[number]): void =>
      requests({ format, result }).inc(),
  };
}

/** Undefined while `identity.mail_clients.enabled` is off. */
export function createMailClients(config: Config, base: Base, state: RedisClient, domains: AccountDomains) {
  const { mail_clients: clients, frontend, notices } = config.identity;
  if (!clients.enabled) return undefined;
  const table = mailServiceTable(config);
  const services: MailServicesOf = {
    publicUrl: table.publicUrl,
    find: (domain) => table.findWith(domain, async (name) => (await domains.recordOf(name))?.mail),
  };
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
