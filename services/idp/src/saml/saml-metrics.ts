import type { Metrics } from "@postern/shared/metrics";
import { type RefusalReason, refusalReasons } from "./refusal.ts";

const results = ["success", "failure"] as const;

/** One function for each fact that the SAML identity provider counts. */
export interface SamlMetrics {
  refused(reason: RefusalReason): void;
  /** A sign-in request was answered. */
  answered(result: (typeof results)[number]): void;
  /** A logout that a service provider asked for. */
  loggedOut(result: (typeof results)[number]): void;
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
  return {
    refused: (reason) => refusals({ reason }).inc(),
    answered: (result) => answers({ result }).inc(),
    loggedOut: (result) => logouts({ result }).inc(),
  };
}
