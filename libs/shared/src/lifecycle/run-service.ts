import { parseArgs } from "node:util";
import { type Config, formatProblem, type LoadResult, loadConfig, processSources } from "../config/index.ts";
import type { Logger } from "../logging/logger.ts";
import { endAtOnce } from "./end-at-once.ts";

/** A service as its process sees it. */
export interface Service {
  readonly logger: Logger;
  /** Ends when everything that was started has stopped. */
  stop(): Promise<void>;
  /** Takes a configuration that has been found valid. What it cannot take live keeps its old value. */
  reload(next: Config): Promise<void>;
  /** A configuration that was refused: told to logs and metrics. */
  reloadRefused(problems: readonly string[]): void;
  /** False when nobody reads what is to be written. */
  flushLogs(): Promise<boolean>;
}

/** EX_CONFIG of sysexits(3). */
const exitBadConfig = 78;

function readConfig(): LoadResult {
  const { values } = parseArgs({ options: { config: { type: "string", short: "c" } } });
  const sources = processSources();
  return loadConfig({ ...sources, file: values.config ?? sources.file });
}

function handleSignals(service: Service): void {
  let stopping = false;
  /** One after the other: of two reloads the later one's configuration must be the one that stays. */
  let reloading = Promise.resolve();
  const stop = (signal: string): void => {
    if (stopping) return;
    stopping = true;
    service.logger.info({ signal }, "stopping");
    service.stop().then(
      () => end(service, 0),
      (err: unknown) => {
        service.logger.error({ err }, "stopping failed");
        return end(service, 1);
      },
    );
  };
  const reload = async (): Promise<void> => {
    if (stopping) return;
    const result = readConfig();
    if (!result.ok) {
      service.reloadRefused(result.problems.map(formatProblem));
      return;
    }
    for (const warning of result.warnings) service.logger.warn({ problem: formatProblem(warning) }, "configuration");
    await service.reload(result.config).catch((err: unknown) => service.logger.error({ err }, "reload failed"));
  };
  process.on("SIGTERM", () => stop("SIGTERM"));
  process.on("SIGINT", () => stop("SIGINT"));
  process.on("SIGHUP", () => {
    reloading = reloading.then(reload);
  });
}

async function end(service: Service, code: number): Promise<void> {
  service.logger.info("stopped");
  if (await service.flushLogs()) process.exit(code);
  endAtOnce();
}

/** Nothing is sure any more, so that a reader of the log who is slow gets what fits in a moment. */
const lastWordsMs = 300;

async function fail(service: Service): Promise<void> {
  const moment = setTimeout(endAtOnce, lastWordsMs);
  await service.flushLogs();
  clearTimeout(moment);
  await end(service, 1);
}

/**
 * The life of a service's process: configuration (all problems at once, before a port opens), start, signals. SIGTERM
 * and SIGINT stop it in order; SIGHUP reads the configuration again, and an invalid one changes nothing.
 */
export async function runService(start: (config: Config) => Promise<Service>): Promise<void> {
  const result = readConfig();
  for (const warning of result.warnings) process.stderr.write(`warning: ${formatProblem(warning)}\n`);
  if (!result.ok) {
    for (const problem of result.problems) process.stderr.write(`${formatProblem(problem)}\n`);
    process.exit(exitBadConfig);
  }
  const service = await start(result.config);
  let failing = false;
  process.on("uncaughtException", (err) => {
    service.logger.fatal({ err }, "uncaught exception");
    if (!failing) void fail(service);
    failing = true;
  });
  handleSignals(service);
}
