import { constants, hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { format, parseArgs } from "node:util";
import { type Config, type LoadResult, loadConfig, type Problem, processSources } from "../config/index.ts";
import { AppError } from "../errors/app-error.ts";
import { isJournal, journalPriority } from "../logging/journal-priority.ts";
import { createLogger, type Logger } from "../logging/logger.ts";
import { busServersCheck, type Preflight, runChecks } from "../preflight/index.ts";
import { endAtOnce } from "./end-at-once.ts";
import { createReload, problemFields } from "./reload.ts";
import { connectServiceManager, type ServiceManager } from "./service-manager.ts";
import { type Service, type ServiceProgram, sharedBy } from "./service-program.ts";

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

/** EX_CONFIG of sysexits(3). */
const exitBadConfig = 78;

/** The part of the time for stopping that each later stage has for itself, whatever an earlier one takes. */
const reservedShare = 0.2;

/** The services of a process: each stage stops when the one before it has stopped. */
type Stages<T> = readonly (readonly T[])[];

function configReader(named: string | undefined): () => LoadResult {
  return () => {
    const sources = processSources();
    return loadConfig({ ...sources, file: named ?? sources.file });
  };
}

async function stopAll(stages: Stages<Service>): Promise<void> {
  const services = stages.flat();
  for (const service of services) service.drain();
  const times = services.map((service) => service.shutdownTimes());
  const graceMs = Math.max(...times.map((one) => one.graceMs));
  await delay(Math.max(...times.map((one) => one.delayMs)));
  const until = performance.now() + graceMs;
  for (const [index, stage] of stages.entries()) {
    const reservedMs = graceMs * reservedShare * (stages.length - 1 - index);
    const leftMs = Math.max(0, until - reservedMs - performance.now());
    await Promise.all(stage.map((service) => service.stop(leftMs)));
  }
}

/**
 * Services of one process begin one after the other, and the first ones serve meanwhile: then signals wait until all have started. Before, they
 * end the process.
 *
 * @returns delivers the signals that wait
 */
function signalsDuringStart(isServing: () => boolean): () => void {
  const arrived: NodeJS.Signals[] = [];
  const note = (signal: NodeJS.Signals): void => {
    if (!isServing()) process.exit(128 + constants.signals[signal]);
    arrived.push(signal);
  };
  const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, note);
  return (): void => {
    for (const signal of signals) process.off(signal, note);
    for (const signal of arrived) process.emit(signal, signal);
  };
}

function handleSignals(stages: Stages<Service>, reload: () => Promise<void>, manager: ServiceManager): void {
  const services = stages.flat();
  let stopping = false;
  /** Sequential, so that the later of two reloads wins. */
  let reloading = Promise.resolve();
  const stop = (signal: string): void => {
    if (stopping) return;
    stopping = true;
    for (const { logger } of services) logger.info({ signal }, "stopping");
    manager.stopping();
    stopAll(stages).then(
      () => end(services, 0),
      (err: unknown) => {
        services[0]?.logger.error({ err }, "shutdown failed");
        return end(services, 1);
      },
    );
  };
  process.on("SIGTERM", () => stop("SIGTERM"));
  process.on("SIGINT", () => stop("SIGINT"));
  process.on("SIGHUP", () => {
    reloading = reloading.then(() => (stopping ? undefined : reload()));
  });
}

async function flushAll(services: readonly Service[]): Promise<boolean> {
  const flushed = await Promise.all(services.map((service) => service.flushLogs()));
  return flushed.every(Boolean);
}

async function end(services: readonly Service[], code: number): Promise<void> {
  for (const { logger } of services) logger.info("stopped");
  if (await flushAll(services)) process.exit(code);
  endAtOnce();
}

/** The process is in an unknown state, so a slow log reader gets only what can be written in this time. */
const lastWordsMs = 300;

async function fail(services: readonly Service[]): Promise<void> {
  const moment = setTimeout(endAtOnce, lastWordsMs);
  await flushAll(services);
  clearTimeout(moment);
  await end(services, 1);
}

function refuse(log: Logger, problems: readonly Problem[]): never {
  for (const problem of problems) log.fatal(problemFields(problem), "the configuration cannot be used");
  process.exit(exitBadConfig);
}

async function usableConfig(log: Logger, readConfig: () => LoadResult, preflight: Preflight): Promise<Config> {
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

/** Services that start or stop at the same place run at the same time; each place waits for the one before it. */
export interface OrderedProgram extends ServiceProgram {
  readonly starts: number;
  readonly stops: number;
}

/** Equal places together, the lowest first. */
function stagesBy<T>(items: readonly T[], place: (item: T) => number): Stages<T> {
  const places = Map.groupBy(items, place);
  return [...places.keys()].toSorted((a, b) => a - b).map((key) => places.get(key) ?? []);
}

/** Loading the code of a service takes the event loop for about 100 ms: what arrived meanwhile is answered before the next one is loaded. */
const betweenStartsMs = 10;

interface Started {
  readonly stops: number;
  readonly service: Service;
}

/** @param started receives each service as soon as it has started */
async function startAll(programs: readonly OrderedProgram[], config: Config, started: Started[]): Promise<void> {
  const names = programs.map(({ name }) => name);
  const all = Promise.withResolvers<void>();
  const shared = sharedBy(names, all.promise, processSources().env["NODE_ENV"] === "test");
  for (const stage of stagesBy(programs, ({ starts }) => starts)) {
    if (started.length > 0) await delay(betweenStartsMs);
    await Promise.all(
      stage.map(async ({ start, stops }) => void started.push({ stops, service: await start(config, shared) })),
    );
  }
  all.resolve();
}

export interface ServicesOptions {
  /** Names the process in lines that precede its services, or belong to none. */
  readonly name: string;
  readonly programs: readonly OrderedProgram[];
  /** The configuration file; by default the one that the environment names. */
  readonly file: string | undefined;
}

/**
 * Runs services as one process: configuration and the files that it names (all problems are reported together, before a port is opened), start,
 * signals. SIGTERM and SIGINT stop them gracefully, stage by stage; SIGHUP reloads the configuration in all services, and an invalid one changes
 * nothing.
 */
export async function runServices({ name, programs, file }: ServicesOptions): Promise<void> {
  const log = processLog(name);
  consoleToLog(log);
  const readConfig = configReader(file);
  const preflight: Preflight = (config) => [
    busServersCheck(
      config,
      programs.map((program) => program.name),
    ),
    ...programs.flatMap((program) => program.preflight(config)),
  ];
  const started: Started[] = [];
  const services = (): readonly Service[] => started.map(({ service }) => service);
  let failing = false;
  process.on("uncaughtException", (err) => {
    const [first] = services();
    if (first === undefined) return cannotStart(log, err);
    first.logger.fatal({ err }, "uncaught exception");
    if (!failing) void fail(services());
    failing = true;
  });
  const deliverSignals = signalsDuringStart(() => started.length > 0);
  try {
    await startAll(programs, await usableConfig(log, readConfig, preflight), started);
  } catch (error) {
    await flushAll(services());
    cannotStart(log, error);
  }
  const stages = stagesBy(started, ({ stops }) => stops).map((stage) => stage.map(({ service }) => service));
  const manager = connectServiceManager(processSources().env, log);
  handleSignals(stages, createReload({ services: services(), readConfig, preflight }), manager);
  manager.ready();
  deliverSignals();
}

/** Runs one service as a process of its own; `--config` names its configuration file. */
export async function runService(program: ServiceProgram): Promise<void> {
  const { values } = parseArgs({ options: { config: { type: "string", short: "c" } } });
  const programs = [{ ...program, starts: 0, stops: 0 }];
  await runServices({ name: program.name, programs, file: values.config });
}
