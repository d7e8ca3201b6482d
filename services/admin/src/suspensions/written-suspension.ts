import type { SuspensionRecord } from "@postern/shared/contracts";
import type { Suspension } from "@postern/shared/domain/suspensions";

/**
 * A record as the management interface shows it.
 *
 * @param isVisible of a caller who is limited to domains: names outside of them are not shown, and names without a domain are the site's
 */
export function writtenSuspension(
  { account, sinceMs, untilMs, reason, by, session }: Suspension,
  isVisible?: (account: string) => boolean,
): SuspensionRecord {
  const isShown = isVisible === undefined || (by.includes("@") && isVisible(by));
  return {
    account,
    since: new Date(sinceMs).toISOString(),
    ...(untilMs !== undefined && { until: new Date(untilMs).toISOString() }),
    ...(reason !== undefined && { reason }),
    by: isShown ? by : "",
    session,
  };
}
