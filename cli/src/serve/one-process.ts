import { type OrderedProgram, runServices, type ServiceProgram } from "@postern/shared/platform/lifecycle";
import { preflight as adminPreflight } from "../../../services/admin/src/preflight.ts";
import { preflight as enginePreflight } from "../../../services/auth-engine/src/preflight.ts";
import { preflight as gatewayPreflight } from "../../../services/gateway/src/preflight.ts";
import { preflight as idpPreflight } from "../../../services/idp/src/preflight.ts";
import { preflight as jobsPreflight } from "../../../services/jobs-worker/src/preflight.ts";
import type { ServiceName } from "../config/ports.ts";

/** Loads the code of a service when it starts. */
const loading =
  (load: () => Promise<ServiceProgram>): ServiceProgram["start"] =>
  async (config, shared) =>
    (await load()).start(config, shared);

/**
 * What decides starts first, so that mail servers are answered while the rest is loaded. Services stop after those that ask them.
 */
const programs: readonly OrderedProgram[] = [
  {
    name: "gateway",
    preflight: gatewayPreflight,
    start: loading(async () => (await import("../../../services/gateway/src/start.ts")).gateway),
    starts: 1,
    stops: 0,
  },
  {
    name: "idp",
    preflight: idpPreflight,
    start: loading(async () => (await import("../../../services/idp/src/start.ts")).identityProvider),
    starts: 2,
    stops: 1,
  },
  {
    name: "admin",
    preflight: adminPreflight,
    start: loading(async () => (await import("../../../services/admin/src/start.ts")).admin),
    starts: 3,
    stops: 1,
  },
  {
    name: "jobs-worker",
    preflight: jobsPreflight,
    start: loading(async () => (await import("../../../services/jobs-worker/src/start.ts")).jobsWorker),
    starts: 4,
    stops: 1,
  },
  {
    name: "auth-engine",
    preflight: enginePreflight,
    start: loading(async () => (await import("../../../services/auth-engine/src/start.ts")).engine),
    starts: 0,
    stops: 2,
  },
];

/** Runs services as one process. This file alone imports all of them to run them. */
export async function serve(names: readonly ServiceName[], file: string | undefined): Promise<void> {
  const wanted: ReadonlySet<string> = new Set(names);
  await runServices({ name: "postern", programs: programs.filter(({ name }) => wanted.has(name)), file });
}
