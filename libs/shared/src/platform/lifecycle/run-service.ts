import { hostname } from "node:os";
import { format, parseArgs } from "node:util";
import {
  type Config,
  formatProblem,
  type LoadResult,
  loadConfig,
  type Problem,
  processSources,
} from "../config/index.ts";
import { AppError } from "../errors/app-error.ts";
import { isJournal, journalPriority } from "../logging/journal-priority.ts";
import { createLogger, type Logger } from "../logging/logger.ts";
import { type Preflight, runChecks } from "../preflight/index.ts";
import { endAtOnce } from "./end-at-once.ts";
import { connectServiceManager, type ServiceManager } from "./service-manager.ts";

/** Writes to standard error synchronously, for messages before a service has its own log, or without one. */
function processLog(service: string): Logger {
  const prefixOf = isJournal(2) ? journalPriority : () => "";
  return createLogger({
    service,
    instance: `${hostname()}:${process.pid}`,
    level: "info",
    stream: { write: (line) => void process.stderr.write(prefixOf(line) + line) },
  }).logger;
}

function problemFields({ path, reason, hint }: Problem): object {
  return hint === undefined ? { key: path, reason } : { key: path, reason, hint };
}

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

const levels = { error: "error", warn: "warn", info: "info", log: "info", debug: "debug", trace: "debug" } as const;

type Method = keyof typeof levels;

/**
 * Redirects output of libraries and Node's own warnings to the log, so that every line that a service writes can be parsed. What a library
 * prints at import precedes this, unless it is imported later.
 */
function consoleToLog(log: Pick<Logger, "error" | "warn" | "info" | "debug">): void {
  const put = (method: Method): void => {
    console[method] = (...parts: readonly unknown[]): void => log[levels[method]]({ printed: true }, format(...parts));
  };
  for (const method of ["error", "warn", "info", "log", "debug", "trace"] as const) put(method);
  process.removeAllListeners("warning");
  process.on("warning", (warning) => log.warn({ err: warning }, "warning from Node.js"));
}

/** A service as its process sees it. */
export interface Service {
  readonly logger: Logger;
  /** Resolves when everything that was started has stopped. */
  stop(): Promise<void>;
  /** Applies a valid configuration. Keys that cannot change while the service runs keep their old values. */
  reload(next: Config): Promise<void>;
  /** Reports a rejected configuration to logs and metrics. */
  reloadRefused(problems: readonly string[]): void;
  /** Returns false if standard output is not being read. */
  flushLogs(): Promise<boolean>;
}

/** EX_CONFIG of sysexits(3). */
const exitBadConfig = 78;

function readConfig(): LoadResult {
  const { values } = parseArgs({ options: { config: { type: "string", short: "c" } } });
  const sources = processSources();
  return loadConfig({ ...sources, file: values.config ?? sources.file });
}

function handleSignals(service: Service, preflight: Preflight, manager: ServiceManager): void {
  let stopping = false;
  /** Sequential, so that the later of two reloads wins. */
  let reloading = Promise.resolve();
  const stop = (signal: string): void => {
    if (stopping) return;
    stopping = true;
    service.logger.info({ signal }, "stopping");
    manager.stopping();
    service.stop().then(
      () => end(service, 0),
      (err: unknown) => {
        service.logger.error({ err }, "shutdown failed");
        return end(service, 1);
      },
    );
  };
  const reload = createReload({ service, readConfig, preflight });
  process.on("SIGTERM", () => stop("SIGTERM"));
  process.on("SIGINT", () => stop("SIGINT"));
  process.on("SIGHUP", () => {
    reloading = reloading.then(() => (stopping ? undefined : reload()));
  });
}

async function end(service: Service, code: number): Promise<void> {
  service.logger.info("stopped");
  if (await service.flushLogs()) process.exit(code);
  endAtOnce();
}

/** The process is in an unknown state, so a slow log reader gets only what can be written in this time. */
const lastWordsMs = 300;

async function fail(service: Service): Promise<void> {
  const moment = setTimeout(endAtOnce, lastWordsMs);
  await service.flushLogs();
  clearTimeout(moment);
  await end(service, 1);
}

/** What a service's `main.ts` provides. */
export interface ServiceProgram {
  readonly name: string;
  /** Everything that the service opens and compiles from its configuration. */
  readonly preflight: Preflight;
  readonly start: (config: Config) => Promise<Service>;
}

function refuse(log: Logger, problems: readonly Problem[]): never {
  for (const problem of problems) log.fatal(problemFields(problem), "the configuration cannot be used");
  process.exit(exitBadConfig);
}

async function usableConfig(log: Logger, preflight: Preflight): Promise<Config> {
  const result = readConfig();
  for (const warning of result.warnings) log.warn(problemFields(warning), "configuration");
  if (!result.ok) return refuse(log, result.problems);
  const { problems, warnings } = await runChecks(preflight(result.config));
  for (const warning of warnings) log.warn(problemFields(warning), "configuration");
  return problems.length > 0 ? refuse(log, problems) : result.config;
}

/** Logs the reason in one line; a stack trace does not help with a program that never ran. */
function cannotStart(log: Logger, error: unknown): never {
  if (error instanceof AppError && error.code === "CONFIG_INVALID") {
    log.fatal({ reason: error.message.replace(/^CONFIG_INVALID: /, "") }, "the configuration cannot be used");
    process.exit(exitBadConfig);
  }
  log.fatal({ err: error }, "the service cannot start");
  process.exit(1);
}

/**
 * Runs a service's process: configuration and the files that it names (all problems are reported together, before a port is opened), start,
 * signals. SIGTERM and SIGINT stop it gracefully; SIGHUP reloads the configuration, and an invalid one changes nothing.
 */
export async function runService({ name, preflight, start }: ServiceProgram): Promise<void> {
  const log = processLog(name);
  consoleToLog(log);
  let service: Service | undefined;
  let failing = false;
  process.on("uncaughtException", (err) => {
    if (service === undefined) return cannotStart(log, err);
    service.logger.fatal({ err }, "uncaught exception");
    if (!failing) void fail(service);
    failing = true;
  });
  try {
    service = await start(await usableConfig(log, preflight));
  } catch (error) {
    cannotStart(log, error);
  }
  const manager = connectServiceManager(processSources().env, log);
  handleSignals(service, preflight, manager);
  manager.ready();
}
