import type { HeardReport } from "@postern/shared/domain/service-reports";
import type { Config } from "@postern/shared/platform/config";
import type { Clock } from "@postern/shared/platform/time";

/** Undefined if `runtime.servers.http.public_status` is off; `needed` are the services behind the gateway that a sign-in needs. */
export function publicStatusSettings({ runtime, identity }: Config) {
  if (!runtime.servers.http.public_status) return undefined;
  const { frontend, oidc, saml } = identity;
  const { name: brand, accent_color: light, accent_color_dark: dark } = frontend.branding;
  // A site without sign-in pages and protocols runs no identity provider.
  const hasIdp = frontend.enabled || oidc.enabled || saml.enabled;
  return { brand, accent: { light, dark }, needed: ["auth-engine", ...(hasIdp ? ["idp"] : [])] };
}

/** What customers see: no names, no numbers, no causes. */
export interface PublicStatus {
  /** The minute since which sign-in has not worked for every user, in epoch milliseconds; undefined while it works. */
  readonly degradedSinceMs: number | undefined;
}

export interface SignInFacts {
  /** Health of this gateway: `up` includes NATS and Redis. */
  readonly gateway: string;
  /** Engines whose heartbeats arrive. */
  readonly engines: number;
  /** The services that a sign-in needs behind the gateway. */
  readonly needed: readonly string[];
  readonly reports: readonly Pick<HeardReport, "service" | "status" | "isCurrent" | "backends" | "checks">[];
}

/** Without Redis, idp is ready, and tells users that they have to wait. */
function serves({ service, status, checks }: SignInFacts["reports"][number]): boolean {
  if (service === "idp" && checks["redis_state"] === "down") return false;
  return status === "up" || status === "degraded";
}

/**
 * Whether every user can sign in: each part that a sign-in needs works in at least one process. The directory of one customer is no part of the
 * service that this page is about.
 */
export function signInWorks({ gateway, engines, needed, reports }: SignInFacts): boolean {
  const serving = reports.filter((report) => report.isCurrent && serves(report));
  const backends = serving.flatMap((report) => report.backends ?? []).filter(({ isOfDomains }) => isOfDomains !== true);
  const usable = new Set(backends.filter(({ state }) => state === "up").map(({ name }) => name));
  return (
    gateway === "up" &&
    engines > 0 &&
    needed.every((service) => serving.some((report) => report.service === service)) &&
    backends.every(({ name }) => usable.has(name))
  );
}

const minuteMs = 60_000;

/**
 * Counts observations. A failure must repeat itself, so that one slow answer of a busy process is not published; the time is that of its
 * first observation. The first observation after the start counts alone.
 */
export function createStatusCount(clock: Clock) {
  let failingSinceMs: number | undefined;
  let seen = 0;
  let failures = 0;
  return {
    add: (works: boolean): void => {
      failures = works ? 0 : failures + 1;
      if (works) failingSinceMs = undefined;
      else failingSinceMs ??= Math.floor(clock.now() / minuteMs) * minuteMs;
      seen = Math.min(seen + 1, 2);
    },
    status: (): PublicStatus => ({ degradedSinceMs: failures >= 2 || seen === 1 ? failingSinceMs : undefined }),
  };
}

/**
 * Observes at a fixed interval, so that requests for the status, however many arrive, cause no observation.
 *
 * @param observe resolves to whether sign-in works, within seconds
 * @param everyMs time between the end of one observation and the next
 */
export function watchStatus(observe: () => Promise<boolean>, clock: Clock, everyMs: number) {
  const count = createStatusCount(clock);
  const first = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const round = async (): Promise<void> => {
    count.add(await observe().catch(() => false));
    first.resolve();
    if (!isClosed) timer = setTimeout(() => void round(), everyMs).unref();
  };
  void round();
  return {
    /** Waits only until the first observation after the start. */
    current: async (): Promise<PublicStatus> => {
      await first.promise;
      return count.status();
    },
    close: (): void => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
