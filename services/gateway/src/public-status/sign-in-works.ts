import type { HeardReport } from "@postern/shared/domain/service-reports";

export interface SignInFacts {
  /** Health of this gateway: `up` includes NATS and Redis. */
  readonly gateway: string;
  /** Engines whose heartbeats arrive. */
  readonly engines: number;
  /** The services that a sign-in needs behind the gateway. */
  readonly needed: readonly string[];
  readonly reports: readonly Pick<HeardReport, "service" | "status" | "isCurrent" | "backends" | "checks">[];
}

type Report = SignInFacts["reports"][number];

/** Without Redis, idp is ready, and tells users that they have to wait. */
function serves({ service, status, checks }: Report): boolean {
  if (service === "idp" && checks["redis_state"] === "down") return false;
  return status === "up" || status === "degraded";
}

/** Whether every user can sign in: each part that a sign-in needs works in at least one process. */
export function signInWorks({ gateway, engines, needed, reports }: SignInFacts): boolean {
  const serving = reports.filter((report) => report.isCurrent && serves(report));
  const backends = serving.flatMap((report) => report.backends ?? []);
  const usable = new Set(backends.filter(({ state }) => state === "up").map(({ name }) => name));
  return (
    gateway === "up" &&
    engines > 0 &&
    needed.every((service) => serving.some((report) => report.service === service)) &&
    backends.every(({ name }) => usable.has(name))
  );
}
