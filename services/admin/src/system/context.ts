import { createServiceReport } from "@postern/shared/assembly";
import type { SystemReport } from "@postern/shared/contracts";
import { createServiceReports } from "@postern/shared/domain/service-reports";
import { within } from "@postern/shared/platform/concurrency";
import type { Config } from "@postern/shared/platform/config";
import type { Health } from "@postern/shared/platform/lifecycle";
import { systemClock as clock } from "@postern/shared/platform/time";
import type { AdminParts } from "../admin-parts.ts";
import type { AdminRecords } from "../admin-records.ts";
import { hookFiles } from "../hooks/hook-table.ts";
import type { ReadJob } from "../jobs/job-status-redis.ts";
import { createQueues } from "./queues-redis.ts";
import { createRedisRoles } from "./redis-roles-redis.ts";
import { createDescribeSystem } from "./system-report.ts";

type Parts = AdminParts &
  Pick<AdminRecords, "regions"> & { readonly health: Health; readonly jobs: { readonly read: ReadJob } };

const natsTimeoutMs = 1000;
const regionsTimeoutMs = 1000;
/** Longer than the health checks of a process. */
const waitMs = 1500;

/** A site without sign-in pages and protocols runs no identity provider. */
function expectedServices({ identity }: Config): readonly string[] {
  const hasIdp = identity.frontend.enabled || identity.oidc.enabled || identity.saml.enabled;
  return ["gateway", "auth-engine", ...(hasIdp ? ["idp"] : []), "admin", "jobs-worker"];
}

function natsState({ bus }: AdminParts): () => Promise<SystemReport["nats"]> {
  return async () => {
    const startedMs = performance.now();
    try {
      await within(bus.flush(), natsTimeoutMs);
      return { state: "up", latency_ms: Math.round((performance.now() - startedMs) * 100) / 100 };
    } catch {
      return { state: "down" };
    }
  };
}

export function createSystem(config: Config, parts: Parts) {
  const { bus, engineWatch, state, queue, cache, keyPrefix, jobs, regions } = parts;
  const expected = expectedServices(config);
  const serviceReports = createServiceReports(bus, clock, expected, waitMs);
  const scripts = async () => ({ scripts: hookFiles(parts.configuration.current()).map(({ path }) => path) });
  const describeSystem = createDescribeSystem({
    expected,
    reports: serviceReports,
    own: createServiceReport(parts, parts.health, scripts),
    redis: createRedisRoles({ state, queue, cache }),
    nats: natsState(parts),
    engines: engineWatch.engines,
    regions: async () => within(regions?.list() ?? Promise.resolve(undefined), regionsTimeoutMs).catch(() => undefined),
    queues: createQueues(queue, keyPrefix, jobs.read),
    clock,
  });
  return { describeSystem, serviceReports };
}
