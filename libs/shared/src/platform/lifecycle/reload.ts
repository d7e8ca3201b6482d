import { type Config, formatProblem, type LoadResult, type Problem } from "../config/index.ts";
import { type Preflight, runChecks } from "../preflight/index.ts";
import type { PreparedReload, Service } from "./service-program.ts";

export function problemFields({ path, reason, hint }: Problem): object {
  return hint === undefined ? { key: path, reason } : { key: path, reason, hint };
}

export interface ReloadDeps {
  readonly services: readonly Pick<Service, "logger" | "prepare" | "reloadRefused">[];
  readonly readConfig: () => LoadResult;
  readonly preflight: Preflight;
}

function refuse({ services }: ReloadDeps, reasons: readonly string[], cause?: unknown): void {
  for (const service of services) service.reloadRefused(reasons, cause);
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function discardAll(prepared: readonly PreparedReload[]): Promise<void> {
  for (const one of prepared) await one.discard?.();
}

/** Puts a configuration into use in all services or, if it cannot be, in none. */
async function useInAll(deps: ReloadDeps, next: Config): Promise<void> {
  const results = await Promise.allSettled(
    deps.services.map(async (service) => ({ service, prepared: await service.prepare(next) })),
  );
  const ready = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const errors: unknown[] = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  if (errors.length > 0) {
    await discardAll(ready.map(({ prepared }) => prepared));
    refuse(deps, errors.map(reasonOf), errors[0]);
    return;
  }
  // At the same time, because one may wait, for example for documents that the configuration names.
  await Promise.all(
    ready.map(async ({ service, prepared }) => {
      try {
        await prepared.use();
      } catch (err) {
        // Too late for the others. Operators see which service is not up to date.
        service.reloadRefused([reasonOf(err)], err);
      }
    }),
  );
}

async function apply(deps: ReloadDeps): Promise<void> {
  const { services, readConfig, preflight } = deps;
  const result = readConfig();
  if (!result.ok) {
    refuse(deps, result.problems.map(formatProblem));
    return;
  }
  const { problems, warnings } = await runChecks(preflight(result.config));
  for (const warning of [...result.warnings, ...warnings]) {
    services[0]?.logger.warn(problemFields(warning), "configuration");
  }
  if (problems.length > 0) refuse(deps, problems.map(formatProblem));
  else await useInAll(deps, result.config);
}

/** Reads the configuration again. An invalid or unreadable one changes nothing, in no service of the process. */
export function createReload(deps: ReloadDeps): () => Promise<void> {
  return () =>
    apply(deps).catch((err: unknown) => {
      deps.services[0]?.logger.error({ err }, "reload failed");
      refuse(deps, ['the configuration could not be read or checked; see the line "reload failed"']);
    });
}
