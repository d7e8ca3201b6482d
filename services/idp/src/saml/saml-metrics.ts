import type { Metrics } from "@postern/shared/metrics";
import { type Channel, channels } from "./logout/journey.ts";
import { type TellingResult, tellingResults } from "./logout/telling.ts";
import { type MetadataFailure, metadataFailures } from "./metadata/metadata-failure.ts";
import { type RefusalReason, refusalReasons } from "./refusal.ts";

const results = ["success", "failure"] as const;

/** One function for each fact that the SAML identity provider counts. */
export interface SamlMetrics {
  refused(reason: RefusalReason): void;
  /** A sign-in request was answered. */
  answered(result: (typeof results)[number]): void;
  /** A logout that a service provider asked for. */
  loggedOut(result: (typeof results)[number]): void;
  /** A service provider was told of a logout, or not. */
  told(channel: Channel, result: TellingResult): void;
  /** A service provider's metadata were asked for. */
  refreshed(result: "success" | MetadataFailure): void;
  /** What is read when the metrics are. */
  watch(metadata: MetadataState): void;
}

export interface MetadataState {
  oldestAgeSeconds(): number;
  unusable(): number;
}

export function createSamlMetrics(registry: Metrics, prefix: string): SamlMetrics {
  const refusals = registry.counter({
    name: `${prefix}_idp_saml_refusals_total`,
    help: "SAML messages that were refused, by reason",
    labels: { reason: refusalReasons },
  });
  const answers = registry.counter({
    name: `${prefix}_idp_saml_responses_total`,
    help: "SAML sign-in requests that were answered",
    labels: { result: results },
  });
  const logouts = registry.counter({
    name: `${prefix}_idp_saml_logouts_total`,
    help: "Logouts that SAML service providers asked for",
    labels: { result: results },
  });
  const told = registry.counter({
    name: `${prefix}_idp_saml_logout_notices_total`,
    help: "Attempts to tell SAML service providers of logouts",
    labels: { channel: channels, result: tellingResults },
  });
  const refreshes = registry.counter({
    name: `${prefix}_idp_saml_metadata_refreshes_total`,
    help: "Documents of SAML metadata that were fetched or read, by what came of it",
    labels: { result: ["success", ...metadataFailures] },
  });
  return {
    refused: (reason) => refusals({ reason }).inc(),
    answered: (result) => answers({ result }).inc(),
    loggedOut: (result) => logouts({ result }).inc(),
    told: (channel, result) => told({ channel, result }).inc(),
    refreshed: (result) => refreshes({ result }).inc(),
    watch: (metadata) => {
      registry.gauge({
        name: `${prefix}_idp_saml_metadata_age_seconds`,
        help: "Age of the SAML metadata that were taken longest ago",
        read: () => metadata.oldestAgeSeconds(),
      });
      registry.gauge({
        name: `${prefix}_idp_saml_metadata_unusable`,
        help: "SAML service providers whose metadata are not there or over",
        read: () => metadata.unusable(),
      });
    },
  };
}
