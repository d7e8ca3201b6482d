import { type Config, formatProblem, type LoadResult } from "../config/index.ts";
import type { Logger } from "../logging/logger.ts";
import { type Preflight, runChecks } from "../preflight/index.ts";
import { problemFields } from "./process-log.ts";

export interface ReloadDeps {
  readonly service: {
    readonly logger: Logger;
    reload(next: Config): Promise<void>;
    reloadRefused(problems: readonly string[]): void;
  };
  readonly readConfig: () => LoadResult;
  readonly preflight: Preflight;
}

async function apply({ service, readConfig, preflight }: ReloadDeps): Promise<void> {
  const result = readConfig();
  if (!result.ok) {
    service.reloadRefused(result.problems.map(formatProblem));
    return;
  }
  const { problems, warnings } = await runChecks(preflight(result.config));
  for (const warning of [...result.warnings, ...warnings]) {
    service.logger.warn(problemFields(warning), "configuration");
  }
  if (problems.length > 0) {
    service.reloadRefused(problems.map(formatProblem));
    return;
  }
  await service.reload(result.config).catch((err: unknown) => service.logger.error({ err }, "reload failed"));
}

/** Reads the configuration again. An invalid or unreadable one changes nothing. */
export function createReload(deps: ReloadDeps): () => Promise<void> {
  const { service } = deps;
  return () =>
    apply(deps).catch((err: unknown) => {
      service.logger.error({ err }, "reload failed");
      service.reloadRefused(['the configuration could not be read or checked; see the line "reload failed"']);
    });
}
