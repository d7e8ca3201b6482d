import { secretFields } from "@postern/shared/domain/released-attributes";
import type { Config } from "@postern/shared/platform/config";
import { canonicalName } from "@postern/shared/platform/net";
import type { BackendSettings } from "../backends/backend-settings.ts";

export type ShadowSettings = NonNullable<ReturnType<typeof shadowSettings>>;

/** A shadow only reads: it neither seeds a database nor replaces a hash. */
function readOnly(settings: BackendSettings): BackendSettings {
  if (settings.kind !== "sql") return settings;
  const { database } = settings;
  const searches = settings.settings.searches.map((search) => ({ ...search, upgradePasswordQuery: undefined }));
  return {
    ...settings,
    settings: { ...settings.settings, searches },
    database: database.driver === "sqlite" ? { ...database, seedFile: undefined } : database,
  };
}

/** The domain in the spelling of attempts, where an internationalised one has its ASCII form. */
function domainOf(domain: string): string {
  const name = canonicalName(`x@${domain}`);
  return name.slice(name.lastIndexOf("@") + 1).toLowerCase();
}

/**
 * Undefined while nothing is compared.
 * @param backendOf settings of one entry of an order
 */
export function shadowSettings(config: Config, backendOf: (entry: string) => BackendSettings) {
  const { shadow } = config.auth;
  if (shadow.order.length === 0 || shadow.percent === 0) return undefined;
  return {
    backends: shadow.order.map((entry) => readOnly(backendOf(entry))),
    share: shadow.percent / 100,
    /** Empty: all. */
    protocols: new Set(shadow.protocols),
    domains: new Set(shadow.domains.map(domainOf)),
    passwords: shadow.passwords,
    comparesSecondFactors: shadow.second_factors,
    /** Attributes that the report must not show; searches may have changed them since the start. */
    secretFields: secretFields(config),
    ignoredAttributes: new Set(shadow.ignore_attributes.map((name) => name.toLowerCase())),
    timeoutMs: shadow.timeout,
    concurrency: shadow.concurrency,
    maxQueued: shadow.queue_length,
  };
}
