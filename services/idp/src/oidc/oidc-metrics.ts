import type { Metrics } from "@postern/shared/metrics";
import type { NoticeResult } from "./logout-delivery.ts";

/** One function for each fact of the protocol that is counted. */
export interface OidcMetrics {
  logoutNotice(result: NoticeResult): void;
}

export function createOidcMetrics(registry: Metrics, prefix: string): OidcMetrics {
  const notices = registry.counter({
    name: `${prefix}_idp_logout_notices_total`,
    help: "Attempts to tell clients of logouts, by what became of them",
    labels: { result: ["delivered", "retried", "refused"] },
  });
  return { logoutNotice: (result) => notices({ result }).inc() };
}
