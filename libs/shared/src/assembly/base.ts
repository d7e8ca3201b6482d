import { createHmac } from "node:crypto";
import { hostname } from "node:os";
import type { ServiceReport } from "../contracts/index.ts";
import { type Config, changedKeys, sourceRevision } from "../platform/config/index.ts";
import type { SharedByProcess } from "../platform/lifecycle/service-program.ts";
import { version } from "../platform/lifecycle/version.ts";
import { createLogger } from "../platform/logging/logger.ts";
import { createMetrics } from "../platform/metrics/registry.ts";
import { addTrustedRoots } from "../platform/net/trusted-roots.ts";
import { systemClock } from "../platform/time/clock.ts";
import type { Tracer } from "../platform/tracing/tracer.ts";
import { auditFromConfig } from "./audit-from-config.ts";
import { exportCertificateExpiry } from "./certificate-expiry.ts";
import { isTraced, tracerFromConfig } from "./tracer-from-config.ts";

/** Keys below `runtime` that differ between processes of one site. */
const ofOneProcess = /(?:^|_)address$|^instance_name$/u;

/** Keys below `storage.redis`: each service may have a Redis user of its own. */
const ofOneRedisUser: ReadonlySet<string> = new Set(["username", "password"]);
const userInUrl = /(?<=^rediss?:\/\/)[^@/]*@/u;

function common({ runtime, storage, ...rest }: Config): string {
  const shared = JSON.stringify(runtime, (key, value: unknown) => (ofOneProcess.test(key) ? undefined : value));
  const stores = JSON.stringify(storage, (key, value: unknown) => {
    if (ofOneRedisUser.has(key)) return undefined;
    return typeof value === "string" ? value.replace(userInUrl, "") : value;
  });
  return shared + stores + JSON.stringify(rest);
}

/** Keyed, because the configuration contains secrets that could be guessed from a plain digest. */
function digestOf(config: Config): string {
  const key = config.runtime.services.caller_assertion.secret;
  return createHmac("sha256", key).update(common(config)).digest("hex").slice(0, 12);
}

const maxKeys = 100;
const maxReasonCharacters = 500;

/** Which configuration a process has, and how it differs from the one that it started with. */
function createConfigurationState(first: Config, now: () => number) {
  const stateOf = (config: Config): ServiceReport["configuration"] => {
    const changed = changedKeys(first, config);
    const waiting = changed.filter(([, reload]) => reload === "restart");
    return {
      digest: digestOf(config),
      loadedMs: now(),
      changed: changed.slice(0, maxKeys).map(([path]) => path),
      needsRestart: waiting.slice(0, maxKeys).map(([path]) => path),
    };
  };
  let current = first;
  let state = stateOf(first);
  return {
    current: (): Config => current,
    reloaded: (next: Config): void => {
      current = next;
      state = stateOf(next);
    },
    /** A reload was refused: the current configuration stays, and operators see why. */
    refused: (reasons: readonly string[]): void => {
      state = { ...state, refused: { atMs: now(), reason: reasons.join("; ").slice(0, maxReasonCharacters) } };
    },
    report: (): ServiceReport["configuration"] => state,
  };
}

/** What every service has before anything else is constructed. */
export type Base = Readonly<Awaited<ReturnType<typeof baseFromConfig>>>;

export async function baseFromConfig(config: Config, service: string, shared: SharedByProcess) {
  addTrustedRoots(config.runtime.outgoing_tls.ca_file);
  const instance = `${config.runtime.instance_name}@${hostname()}:${process.pid}`;
  const metricsPrefix = config.runtime.naming.identifier;
  // The tracer reports to the metrics, so it is created after them.
  const traces: { tracer: Tracer | undefined } = { tracer: undefined };
  const activeTrace = isTraced(config) ? () => traces.tracer?.active()?.traceId : undefined;
  const metrics = createMetrics(activeTrace, service === shared.services[0]);
  metrics.gauge({
    name: `${metricsPrefix}_build_info`,
    help: "Always 1; the labels state what this process runs",
    labels: { version, revision: sourceRevision, node: process.versions.node },
    read: () => 1,
  });
  const droppedLines = metrics.counter({
    name: `${metricsPrefix}_log_lines_dropped_total`,
    help: "Log and audit lines that were dropped because standard output was not read",
    labels: {},
  })({});
  exportCertificateExpiry(config, service, metrics);
  const { level } = config.observability.log;
  const onDropped = (): void => droppedLines.inc();
  const processLogger = createLogger({ service, instance, level, output: shared.output, onDropped });
  const { logger } = processLogger;
  traces.tracer = await tracerFromConfig(config, { service, instance }, logger, metrics);
  return {
    service,
    shared,
    /** Identifies this process among its replicas. */
    instance,
    processLogger,
    logger,
    metrics,
    /** Undefined if tracing is off. */
    tracer: traces.tracer,
    audit: auditFromConfig(config, { service, instance }, processLogger, metrics),
    /** `runtime.naming.identifier`, the prefix of metric names. */
    metricsPrefix,
    configuration: createConfigurationState(config, () => systemClock.now()),
  };
}
