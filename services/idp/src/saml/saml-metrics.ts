import type { Metrics } from "@postern/shared/platform/metrics";
import { type MetadataFailure, metadataFailures } from "./metadata/load-document.ts";
import { type RefusalReason, refusalReasons } from "./protocol/refusal.ts";

const results = ["success", "failure"] as const;

/** How a service provider is notified of a logout: over SOAP, through the browser, or not at all. */
export const channels = ["soap", "browser", "none"] as const;
export type Channel = (typeof channels)[number];

/** Result of notifying a service provider of a logout; every result except `retried` is final. */
const deliveryResults = ["done", "refused", "retried", "given_up", "no_answer", "not_told"] as const;
export type DeliveryResult = (typeof deliveryResults)[number];

export function createSamlMetrics(registry: Metrics, prefix: string) {
  const refusals = registry.counter({
    name: `${prefix}_idp_saml_refusals_total`,
    help: "Rejected SAML messages, by reason",
    labels: { reason: refusalReasons },
  });
  const answers = registry.counter({
    name: `${prefix}_idp_saml_responses_total`,
    help: "Answered SAML sign-in requests, by result",
    labels: { result: results },
  });
  const logouts = registry.counter({
    name: `${prefix}_idp_saml_logouts_total`,
    help: "Logouts requested by service providers, by result",
    labels: { result: results },
  });
  const deliveries = registry.counter({
    name: `${prefix}_idp_saml_logout_notices_total`,
    help: "Attempts to deliver logout messages to service providers, by channel and result",
    labels: { channel: channels, result: deliveryResults },
  });
  const refreshes = registry.counter({
    name: `${prefix}_idp_saml_metadata_refreshes_total`,
    help: "Reads of SAML metadata documents, by result",
    labels: { result: ["success", ...metadataFailures] },
  });
  return {
    refused: (reason: RefusalReason): void => refusals({ reason }).inc(),
    answered: (result: (typeof results)[number]): void => answers({ result }).inc(),
    loggedOut: (result: (typeof results)[number]): void => logouts({ result }).inc(),
    notified: (channel: Channel, result: DeliveryResult): void => deliveries({ channel, result }).inc(),
    refreshed: (result: "success" | MetadataFailure): void => refreshes({ result }).inc(),
    watch: (metadata: { oldestAgeSeconds(): number; unusable(): number }): void => {
      registry.gauge({
        name: `${prefix}_idp_saml_metadata_age_seconds`,
        help: "Age of the oldest SAML metadata in use",
        read: () => metadata.oldestAgeSeconds(),
      });
      registry.gauge({
        name: `${prefix}_idp_saml_metadata_unusable`,
        help: "Service providers whose SAML metadata is missing or has expired",
        read: () => metadata.unusable(),
      });
    },
  };
}

export type SamlMetrics = ReturnType<typeof createSamlMetrics>;
