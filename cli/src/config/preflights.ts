import type { Config, Problem } from "@postern/shared/platform/config";
import { busServersCheck, type Preflight, type PreflightReport, runChecks } from "@postern/shared/platform/preflight";
import { preflight as admin } from "../../../services/admin/src/preflight.ts";
import { preflight as engine } from "../../../services/auth-engine/src/preflight.ts";
import { preflight as gateway } from "../../../services/gateway/src/preflight.ts";
import { preflight as idp } from "../../../services/idp/src/preflight.ts";
import { preflight as worker } from "../../../services/jobs-worker/src/preflight.ts";
import { type ServiceName, serviceNames } from "./ports.ts";

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

export const preflights: Readonly<Record<ServiceName, Preflight>> = {
  gateway,
  "auth-engine": engine,
  idp,
  admin,
  "jobs-worker": worker,
};

export interface CheckOptions {
  readonly skipSecrets: boolean;
  /** Whose files are opened. Default: all services. */
  readonly services?: readonly ServiceName[];
}

type Finding = Problem & { readonly services: ServiceName[] };

/** One finding a path, with the services that have it. */
function gather(found: Map<string, Finding>, problems: readonly Problem[], service: ServiceName): void {
  for (const problem of problems) {
    const known = found.get(problem.path);
    if (known === undefined) found.set(problem.path, { ...problem, services: [service] });
    else known.services.push(service);
  }
}

/** Where none of these services runs, such as in another one's container, it is no problem. */
function withServices({ services, ...problem }: Finding, requested: readonly ServiceName[]): Problem {
  return services.length === requested.length ? problem : { ...problem, hint: `used only by ${services.join(", ")}` };
}

/** Opens and compiles everything that the services would. */
export async function checkServices(
  config: Config,
  { skipSecrets, services = serviceNames }: CheckOptions,
): Promise<PreflightReport> {
  const { problems } = await runChecks([busServersCheck(config, services)]);
  const found = { problems: new Map<string, Finding>(), warnings: new Map<string, Finding>() };
  for (const service of services) {
    const all = preflights[service](config);
    const checks = skipSecrets ? all.filter(({ isSecret }) => isSecret !== true) : all;
    const report = await quietly(() => runChecks(checks));
    gather(found.problems, report.problems, service);
    gather(found.warnings, report.warnings, service);
  }
  const listed = (findings: Map<string, Finding>): readonly Problem[] =>
    [...findings.values()].map((finding) => withServices(finding, services));
  return { problems: [...problems, ...listed(found.problems)], warnings: listed(found.warnings) };
}
