import type { SuspensionRecord } from "@postern/shared/contracts";
import type { Suspension } from "@postern/shared/domain/suspensions";

/** A record as the management interface shows it. */
export function writtenSuspension({ account, sinceMs, untilMs, reason, by, session }: Suspension): SuspensionRecord {
  return {
    account,
    since: new Date(sinceMs).toISOString(),
    ...(untilMs !== undefined && { until: new Date(untilMs).toISOString() }),
    ...(reason !== undefined && { reason }),
    by,
    session,
  };
}
