import type { Audit } from "@postern/shared/domain/audit";
import type { Logger } from "@postern/shared/platform/logging";
import type { Channel, DeliveryResult, SamlMetrics } from "../saml-metrics.ts";

export interface DeliveryReport {
  readonly channel: Channel;
  readonly result: DeliveryResult;
  readonly entityId: string;
  readonly status?: string | undefined;
}

/** Reports a result in the metric, in the log and, if it is final, in the audit stream. */
export function createDeliveryReporter(metrics: SamlMetrics, logger: Logger, audit: Audit) {
  return ({ channel, result, entityId, status }: DeliveryReport): void => {
    metrics.notified(channel, result);
    if (result === "retried") return;
    const isDone = result === "done";
    const fields = { client: entityId, channel, result, status };
    if (isDone) logger.info(fields, "service provider ended a session");
    else logger.warn(fields, "service provider did not end a session");
    const outcome = isDone ? "ok" : result === "refused" ? "denied" : "failed";
    audit.record({ event: "saml.logout", outcome, target: entityId, reason: result, protocol: channel });
  };
}

export type DeliveryReporter = ReturnType<typeof createDeliveryReporter>;
