import type { Metrics } from "@postern/shared/platform/metrics";

const formats = ["autoconfig", "autodiscover", "pacc", "profile"] as const;
const results = ["served", "unknown", "refused"] as const;

export type SettingsFormat = (typeof formats)[number];
export type SettingsResult = (typeof results)[number];

export function createMailClientMetrics(registry: Metrics, prefix: string) {
  const requests = registry.counter({
    name: `${prefix}_idp_mail_settings_total`,
    help: "Requests for the settings of mail clients",
    labels: { format: formats, result: results },
  });
  return {
    /** `unknown`: no settings for the domain, or a profile that is no longer offered. `refused`: a request that cannot be read, or for another schema. */
    requested: (format: SettingsFormat, result: SettingsResult): void => requests({ format, result }).inc(),
  };
}

export type MailClientMetrics = ReturnType<typeof createMailClientMetrics>;
