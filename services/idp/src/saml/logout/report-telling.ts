import type { Audit } from "@postern/shared/audit";
import type { Logger } from "@postern/shared/logging";
import type { SamlMetrics } from "../saml-metrics.ts";
import type { Telling } from "./telling.ts";

export interface ReportDeps {
  readonly metrics: Pick<SamlMetrics, "told">;
  readonly logger: Logger;
  readonly audit: Audit;
}

/** Says it in the metric, in the log and, where it is the last word, in the audit. */
export function createReportTelling({ metrics, logger, audit }: ReportDeps) {
  return ({ channel, result, entityId, status }: Telling): void => {
    metrics.told(channel, result);
    if (result === "retried") return;
    const isDone = result === "done";
    const fields = { client: entityId, channel, result, status };
    if (isDone) logger.info(fields, "a service provider has ended a session");
    else logger.warn(fields, "a service provider did not end a session");
    const outcome = isDone ? "ok" : result === "refused" ? "denied" : "failed";
    audit.record({ event: "saml.logout", outcome, target: entityId, reason: result, protocol: channel });
  };
}

export type ReportTelling = ReturnType<typeof createReportTelling>;
