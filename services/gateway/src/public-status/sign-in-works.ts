import type { HeardReport } from "@postern/shared/domain/service-reports";

export interface SignInFacts {
  /** Health of this gateway: `up` includes NATS and Redis. */
  readonly gateway: string;
  /** Engines whose heartbeats arrive. */
  readonly engines: number;
  /** The services that a sign-in needs behind the gateway. */
  readonly needed: readonly string[];
  readonly reports: readonly Pick<HeardReport, "service" | "status" | "isCurrent" | "backends">[];
}

const serves = (status: string): boolean => status === "up" || status === "degraded";

/** Whether every user can sign in: each part that a sign-in needs works in at least one process. */
export function signInWorks({ gateway, engines, needed, reports }: SignInFacts): boolean {
  const serving = reports.filter(({ isCurrent, status }) => isCurrent && serves(status));
  const backends = serving.flatMap((report) => report.backends ?? []);
  const usable = new Set(backends.filter(({ state }) => state === "up").map(({ name }) => name));
  return (
    gateway === "up" &&
    engines > 0 &&
    needed.every((service) => serving.some((report) => report.service === service)) &&
    backends.every(({ name }) => usable.has(name))
  );
}
