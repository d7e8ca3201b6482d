import { type ServiceReport, serviceReportAsked, serviceReported } from "../../contracts/index.ts";
import type { Bus } from "../../platform/bus/index.ts";
import { endsWithin } from "../../platform/concurrency/index.ts";
import type { Clock } from "../../platform/time/index.ts";

export type ServiceReports = ReturnType<typeof createServiceReports>;
/** What a process said last. */
export type HeardReport = Awaited<ReturnType<ServiceReports["ask"]>>[number];

const forgetAfterMs = 600_000;
/** More processes than any site has. It limits what a sender on the bus can make us store. */
const maxInstances = 256;

/**
 * Asks every process of the site for its report.
 * @param expected the services of the site: until a process of each has answered, `ask` waits
 * @param waitMs health checks of a process take up to one second
 */
export function createServiceReports(
  bus: Pick<Bus, "publish" | "subscribe" | "canPublish">,
  clock: Clock,
  expected: readonly string[],
  waitMs: number,
) {
  const heard = new Map<string, { readonly report: ServiceReport; readonly atMs: number; readonly round: number }>();
  let round = 0;
  let waiting: PromiseWithResolvers<void> | undefined;

  const hasAll = (): boolean => {
    const current = [...heard.values()].filter((one) => one.round === round);
    return (
      current.length === heard.size && expected.every((name) => current.some(({ report }) => report.service === name))
    );
  };
  const subscription = bus.subscribe(serviceReported, (report) => {
    const { service, instance, status } = report;
    // Services of one process have one instance.
    const key = `${service} ${instance}`;
    if (status === "draining") heard.delete(key);
    else if (heard.has(key) || heard.size < maxInstances) heard.set(key, { report, atMs: clock.now(), round });
    if (hasAll()) waiting?.resolve();
  });
  const forget = (): void => {
    const until = clock.now() - forgetAfterMs;
    for (const [key, { atMs }] of heard) if (atMs < until) heard.delete(key);
  };
  /** `isCurrent`: whether it answered the latest request for reports. */
  const list = () =>
    [...heard.values()].map(({ report, atMs, round: of }) => ({ ...report, heardMs: atMs, isCurrent: of === round }));

  return {
    /** Resolves once everything that was heard of has answered, or after the wait for it. Processes that are gone are listed for ten minutes. */
    ask: async () => {
      forget();
      round += 1;
      if (!bus.canPublish() || !bus.publish(serviceReportAsked, {})) return list();
      waiting = Promise.withResolvers<void>();
      await endsWithin(waiting.promise, waitMs);
      return list();
    },
    close: (): void => subscription.unsubscribe(),
  };
}
