import { createServiceReports } from "@postern/shared/domain/service-reports";
import type { Health } from "@postern/shared/platform/lifecycle";
import { systemClock as clock } from "@postern/shared/platform/time";
import type { Foundation } from "../foundation.ts";
import { signInWorks, watchStatus } from "./public-status.ts";
import { createStatusPages } from "./status-page.ts";

const everyMs = 3000;
/** Longer than the health checks of a process. */
const waitMs = 1500;

/** Starts to observe, if the site shows its status. Every process answers the request for reports in a few milliseconds. */
export function createPublicStatus({ settings, bus, engineWatch }: Foundation, health: Health) {
  const { publicStatus } = settings;
  if (publicStatus === undefined) return undefined;
  const { needed } = publicStatus;
  const serviceReports = createServiceReports(bus, clock, needed, waitMs);
  const observe = async (): Promise<boolean> => {
    const [{ status: gateway }, reports] = await Promise.all([health.report(), serviceReports.ask()]);
    return signInWorks({ gateway, engines: engineWatch.engines(), needed, reports });
  };
  const watch = watchStatus(observe, clock, everyMs);
  return {
    current: watch.current,
    pages: createStatusPages(publicStatus),
    close: (): void => {
      watch.close();
      serviceReports.close();
    },
  };
}

export type PublicStatusContext = ReturnType<typeof createPublicStatus>;
