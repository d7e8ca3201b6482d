import type { EngineWatch } from "@postern/shared/domain/engine-watch";
import { createServiceReports } from "@postern/shared/domain/service-reports";
import type { Bus } from "@postern/shared/platform/bus";
import type { Health } from "@postern/shared/platform/lifecycle";
import { systemClock as clock } from "@postern/shared/platform/time";
import { type StatusWatch, watchStatus } from "../public-status/public-status.ts";
import type { PublicStatusSettings } from "../public-status/settings.ts";
import { signInWorks } from "../public-status/sign-in-works.ts";
import { createStatusPages, type StatusPages } from "../public-status/status-page.ts";
import { createGatewayHealth } from "./health.ts";
import type { LimitsParts } from "../limits/context.ts";

interface PublicStatusParts {
  readonly bus: Bus;
  readonly health: Health;
  readonly engineWatch: EngineWatch;
}

export interface PublicStatusContext {
  readonly watch: StatusWatch;
  readonly pages: StatusPages;
}

const everyMs = 3000;
/** Longer than the health checks of a process. */
const waitMs = 1500;

/** Starts to observe, if the site shows its status. Every process answers the request for reports in a few milliseconds. */
function createPublicStatus(
  settings: PublicStatusSettings | undefined,
  { bus, health, engineWatch }: PublicStatusParts,
): PublicStatusContext | undefined {
  if (settings === undefined) return undefined;
  const { needed } = settings;
  const serviceReports = createServiceReports({ bus, clock, expected: needed, waitMs });
  const observe = async (): Promise<boolean> => {
    const [{ status: gateway }, reports] = await Promise.all([health.report(), serviceReports.ask()]);
    return signInWorks({ gateway, engines: engineWatch.engines(), needed, reports });
  };
  const watch = watchStatus({ observe, clock, everyMs });
  return {
    watch: {
      ...watch,
      close: () => {
        watch.close();
        serviceReports.close();
      },
    },
    pages: createStatusPages(settings),
  };
}

type StatesParts = Pick<LimitsParts, "base" | "settings" | "bus" | "state"> & { readonly engineWatch: EngineWatch };

/** The health of this gateway for load balancers and operators, and what customers see of the site. */
export function createStates({ engineWatch, ...parts }: StatesParts): {
  readonly health: Health;
  readonly publicStatus: PublicStatusContext | undefined;
} {
  const health = createGatewayHealth(parts);
  const { bus, settings } = parts;
  return { health, publicStatus: createPublicStatus(settings.publicStatus, { bus, health, engineWatch }) };
}
