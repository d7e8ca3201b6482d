import { type ServiceReport, serviceReportAsked, serviceReported } from "../../contracts/index.ts";
import type { Bus } from "../../platform/bus/index.ts";
import { endsWithin } from "../../platform/concurrency/index.ts";
import type { Clock } from "../../platform/time/index.ts";
import type { HeardReport, ServiceReports } from "./service-reports.ts";

export interface ServiceReportsDeps {
  readonly bus: Pick<Bus, "publish" | "subscribe" | "canPublish">;
  readonly clock: Clock;
  /** The services of the site: until a process of each has answered, `ask` waits. */
  readonly expected: readonly string[];
  /** Health checks of a process take up to one second. */
  readonly waitMs: number;
}

const forgetAfterMs = 600_000;
/** More processes than any site has. It limits what a sender on the bus can make us store. */
const maxInstances = 256;

interface Heard {
  readonly report: ServiceReport;
  readonly atMs: number;
  readonly round: number;
}

export function createServiceReports({ bus, clock, expected, waitMs }: ServiceReportsDeps): ServiceReports {
  const heard = new Map<string, Heard>();
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
  const list = (): readonly HeardReport[] =>
    [...heard.values()].map(({ report, atMs, round: of }) => ({
      ...report,
      heardMs: atMs,
      isCurrent: of === round,
    }));

  return {
    ask: async () => {
      forget();
      round += 1;
      if (!bus.canPublish() || !bus.publish(serviceReportAsked, {})) return list();
      waiting = Promise.withResolvers<void>();
      await endsWithin(waiting.promise, waitMs);
      return list();
    },
    close: () => subscription.unsubscribe(),
  };
}
