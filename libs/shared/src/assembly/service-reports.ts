import { type ServiceReport, serviceReportAsked, serviceReported } from "../contracts/index.ts";
import type { Bus } from "../platform/bus/index.ts";
import { ownCertificates } from "../platform/config/index.ts";
import type { Health } from "../platform/lifecycle/health.ts";
import { version } from "../platform/lifecycle/version.ts";
import type { Base } from "./base.ts";
import { certificateEnds } from "./certificate-expiry.ts";

/** What only this service can add to its report. */
export type OwnReport = Partial<Pick<ServiceReport, "backends" | "scripts" | "expiries" | "signingKeys">>;

export interface ServiceReportDeps {
  readonly base: Pick<Base, "service" | "instance" | "logger" | "configuration">;
  readonly health: Health;
  readonly own?: (() => Promise<OwnReport>) | undefined;
}

export interface ServiceReportsDeps extends ServiceReportDeps {
  readonly bus: Pick<Bus, "subscribe" | "publish" | "canPublish">;
}

const nothing = async (): Promise<OwnReport> => ({});

/** The report of this process. A part that fails is absent from it. */
export function createServiceReport({ base, health, own = nothing }: ServiceReportDeps): () => Promise<ServiceReport> {
  const { configuration, service, instance } = base;
  return async () => {
    const [{ status, checks }, added] = await Promise.all([
      health.report(),
      own().catch((err: unknown): OwnReport => {
        base.logger.debug({ err }, "a part of the service report is missing");
        return {};
      }),
    ]);
    return {
      service,
      instance,
      version,
      startedMs: Math.floor(performance.timeOrigin),
      status,
      checks: { ...checks },
      configuration: configuration.report(),
      ...added,
      expiries: [...certificateEnds(ownCertificates(configuration.current(), service)), ...(added.expiries ?? [])],
    };
  };
}

/** Answers requests for reports, one at a time: requests that arrive meanwhile have the same answer. */
export function startServiceReports(deps: ServiceReportsDeps) {
  const { bus, base } = deps;
  const report = createServiceReport(deps);
  let isReporting = false;
  const answer = async (): Promise<void> => {
    if (isReporting || !bus.canPublish()) return;
    isReporting = true;
    try {
      bus.publish(serviceReported, await report());
    } catch (err) {
      base.logger.warn({ err }, "the service report could not be made");
    } finally {
      isReporting = false;
    }
  };
  bus.subscribe(serviceReportAsked, answer);
  return {
    /** Reports once more, as draining, so that operators do not miss this process. */
    drain: (): void => void answer(),
  };
}
