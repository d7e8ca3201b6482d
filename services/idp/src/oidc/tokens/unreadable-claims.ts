import type { Logger } from "@postern/shared/platform/logging";
import type { Clock } from "@postern/shared/platform/time";
import type { OnUnreadable } from "../claims/claims.ts";

/** Reports claims that are omitted because their value does not fit their type. */
export type ReportUnreadable = (clientId: string) => OnUnreadable;

/** Every user of a client may have such a value: one line per hour and claim is enough to find the mapping. */
const quietMs = 3_600_000;

/** Logs the mapping, never the value. Clients and claims come from the configuration, so the map stays small. */
export function createReportUnreadable(logger: Pick<Logger, "warn">, clock: Clock): ReportUnreadable {
  const reported = new Map<string, number>();
  return (client) =>
    ({ claim, type }) => {
      const key = `${client} ${claim}`;
      const now = clock.now();
      if (now < (reported.get(key) ?? 0)) return;
      reported.set(key, now + quietMs);
      logger.warn({ client, claim, type }, "claim omitted: the mapped value does not match its type");
    };
}
