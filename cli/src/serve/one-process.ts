import { runServices, type ServiceProgram } from "@postern/shared/platform/lifecycle";
import type { ServiceName } from "../config/ports.ts";
import { preflights } from "../config/preflights.ts";

interface LoadedAtStart {
  readonly name: ServiceName;
  /** The order in which services start, and in which they stop. */
  readonly starts: number;
  readonly stops: number;
  readonly load: () => Promise<ServiceProgram>;
}

/** What decides starts first, so that mail servers are answered while the rest is loaded. Services stop after those that ask them. */
const services: readonly LoadedAtStart[] = [
  {
    name: "gateway",
    starts: 1,
    stops: 0,
    load: async () => (await import("../../../services/gateway/src/start.ts")).gateway,
  },
  {
    name: "idp",
    starts: 2,
    stops: 1,
    load: async () => (await import("../../../services/idp/src/start.ts")).identityProvider,
  },
  {
    name: "admin",
    starts: 3,
    stops: 1,
    load: async () => (await import("../../../services/admin/src/start.ts")).admin,
  },
  {
    name: "jobs-worker",
    starts: 4,
    stops: 1,
    load: async () => (await import("../../../services/jobs-worker/src/start.ts")).jobsWorker,
  },
  {
    name: "auth-engine",
    starts: 0,
    stops: 2,
    load: async () => (await import("../../../services/auth-engine/src/start.ts")).engine,
  },
];

/** Runs services as one process. This file alone imports all of them to run them. */
export async function serve(names: readonly ServiceName[], file: string | undefined): Promise<void> {
  const programs = services
    .filter(({ name }) => names.includes(name))
    .map(({ load, ...service }) => ({
      ...service,
      preflight: preflights[service.name],
      start: async (...parts: Parameters<ServiceProgram["start"]>) => (await load()).start(...parts),
    }));
  await runServices({ name: "postern", programs, file });
}
