import type { Config } from "@postern/shared/platform/config";
import { type PreflightCheck, type PreflightReport, runChecks } from "@postern/shared/platform/preflight";
import { preflight as admin } from "../../services/admin/src/preflight.ts";
import { preflight as engine } from "../../services/auth-engine/src/preflight.ts";
import { preflight as gateway } from "../../services/gateway/src/preflight.ts";
import { preflight as idp } from "../../services/idp/src/preflight.ts";
import { preflight as worker } from "../../services/jobs-worker/src/preflight.ts";

/** Discards what libraries print, such as version notices, because it is not part of the output. */
async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const { info, warn } = console;
  console.info = () => undefined;
  console.warn = () => undefined;
  try {
    return await work();
  } finally {
    Object.assign(console, { info, warn });
  }
}

/** Opens and compiles everything that the services would. */
export function checkServices(
  config: Config,
  { skipSecrets }: { readonly skipSecrets: boolean },
): Promise<PreflightReport> {
  const all: readonly PreflightCheck[] = [gateway, engine, idp, admin, worker].flatMap((checks) => checks(config));
  return quietly(() => runChecks(skipSecrets ? all.filter(({ isSecret }) => isSecret !== true) : all));
}
