import { runServices, type ServiceProgram } from "@postern/shared/platform/lifecycle";
import { admin } from "../../../services/admin/src/start.ts";
import { engine } from "../../../services/auth-engine/src/start.ts";
import { gateway } from "../../../services/gateway/src/start.ts";
import { identityProvider } from "../../../services/idp/src/start.ts";
import { jobsWorker } from "../../../services/jobs-worker/src/start.ts";
import type { ServiceName } from "../config/ports.ts";

/** Services stop after those that ask them, and start before them. */
const stages: readonly (readonly ServiceProgram[])[] = [[gateway], [identityProvider, admin, jobsWorker], [engine]];

/** Runs services as one process. This file alone imports all of them to run them. */
export async function serve(names: readonly ServiceName[], file: string | undefined): Promise<void> {
  const wanted: ReadonlySet<string> = new Set(names);
  await runServices({
    name: "postern",
    stages: stages.map((stage) => stage.filter(({ name }) => wanted.has(name))).filter((stage) => stage.length > 0),
    file,
  });
}
