import type { SystemReport } from "@postern/shared/contracts";
import type { HeardReport, ServiceReports } from "@postern/shared/domain/service-reports";
import type { Clock } from "@postern/shared/platform/time";
import { findingsOf, stateOf } from "./findings.ts";
import type { ReadQueues } from "./queues-redis.ts";
import type { ReadRedisRoles } from "./redis-roles-redis.ts";

export interface SystemReportDeps {
  /** The services of the site, admin among them. */
  readonly expected: readonly string[];
  readonly reports: ServiceReports;
  /** Admin's own report, which needs no NATS. */
  readonly own: () => Promise<Omit<HeardReport, "heardMs" | "isCurrent">>;
  readonly redis: ReadRedisRoles;
  readonly nats: () => Promise<SystemReport["nats"]>;
  readonly engines: () => number;
  /** Undefined without other regions, and while Redis does not answer. */
  readonly regions: () => Promise<SystemReport["regions"]>;
  readonly queues: ReadQueues;
  readonly clock: Clock;
}

const dayMs = 86_400_000;
/** Consoles that refresh at the same time share one report. */
const freshForMs = 1000;

const isoOf = (ms: number): string => new Date(ms).toISOString();

type Service = SystemReport["services"][number];

function refusalOf({
  refused,
}: HeardReport["configuration"]): Pick<Service["instances"][number]["configuration"], "refused"> {
  return refused === undefined ? {} : { refused: { time: isoOf(refused.atMs), reason: refused.reason } };
}

function instanceOf(report: HeardReport): Service["instances"][number] {
  const { instance, version, status, startedMs, heardMs, isCurrent, checks, configuration } = report;
  return {
    instance,
    version,
    status: isCurrent ? status : "unknown",
    started: isoOf(startedMs),
    heard: isoOf(heardMs),
    failed_checks: Object.entries(checks).flatMap(([name, state]) => (state === "down" ? [name] : [])),
    configuration: {
      digest: configuration.digest,
      loaded: isoOf(configuration.loadedMs),
      changed: [...configuration.changed],
      needs_restart: [...configuration.needsRestart],
      ...refusalOf(configuration),
    },
  };
}

/** The best of its processes: one that is up serves all. */
function serviceState(instances: Service["instances"]): string {
  const order = ["up", "degraded", "starting", "down"];
  return order.find((state) => instances.some(({ status }) => status === state)) ?? "unknown";
}

function servicesOf(reports: readonly HeardReport[], expected: readonly string[]): readonly Service[] {
  const names = [...new Set([...expected, ...reports.map(({ service }) => service)])];
  return names.map((service) => {
    const instances = reports.filter((report) => report.service === service).map(instanceOf);
    return { service, state: serviceState(instances), instances };
  });
}

function backendsOf(engines: readonly HeardReport[]): SystemReport["backends"] {
  const names = [...new Set(engines.flatMap(({ backends = [] }) => backends.map(({ name }) => name)))];
  return names.map((name) => {
    const of = engines
      .filter(({ isCurrent }) => isCurrent)
      .filter(({ backends = [] }) => backends.some((backend) => backend.name === name));
    const downAt = of.filter(({ backends = [] }) =>
      backends.some((backend) => backend.name === name && backend.state !== "up"),
    );
    const state = of.length === 0 ? "unknown" : downAt.length === 0 ? "up" : "down";
    const isOfDomains = of.some(({ backends = [] }) =>
      backends.some((backend) => backend.name === name && backend.isOfDomains === true),
    );
    return {
      name,
      state,
      down_at: downAt.map(({ instance }) => instance),
      ...(isOfDomains && { of_domains: true }),
    };
  });
}

function expiriesOf(reports: readonly HeardReport[], nowMs: number): SystemReport["expiries"] {
  const ends = new Map<string, number>();
  // Machines may have different certificates under one key: the first that ends counts.
  for (const { name, endMs } of reports.flatMap(({ expiries }) => expiries))
    ends.set(name, Math.min(endMs, ends.get(name) ?? endMs));
  return [...ends]
    .toSorted(([, a], [, b]) => a - b)
    .map(([name, endMs]) => ({ name, end: isoOf(endMs), days: Math.floor((endMs - nowMs) / dayMs) }));
}

/** Replicas have the same keys. */
function signingKeysOf(reports: readonly HeardReport[], nowMs: number): SystemReport["signing_keys"] {
  const keys = new Map(reports.flatMap(({ signingKeys = [] }) => signingKeys.map((key) => [key.name, key] as const)));
  if (keys.size === 0) return undefined;
  return [...keys.values()].map(({ name, createdMs, signs, signsFromMs }) => ({
    name,
    ...(createdMs !== undefined && {
      created: isoOf(createdMs),
      age_days: Math.max(0, Math.floor((nowMs - createdMs) / dayMs)),
    }),
    signs,
    ...(signsFromMs !== undefined && { signs_from: isoOf(signsFromMs) }),
  }));
}

function scriptsOf(reports: readonly HeardReport[]): SystemReport["scripts"] {
  const files = [...new Set(reports.flatMap(({ scripts = [] }) => scripts))].toSorted();
  return files.map((file) => {
    const services = reports.filter(({ scripts = [] }) => scripts.includes(file)).map(({ service }) => service);
    return { file, services: [...new Set(services)] };
  });
}

function configurationOf(own: HeardReport, reports: readonly HeardReport[]): SystemReport["configuration"] {
  const current = reports.filter(({ isCurrent }) => isCurrent).map(({ configuration }) => configuration);
  const { digest, loadedMs, changed } = own.configuration;
  return {
    digest,
    loaded: isoOf(loadedMs),
    changed: [...changed],
    needs_restart: [...new Set(current.flatMap(({ needsRestart }) => needsRestart))].toSorted(),
    is_uniform: current.every((one) => one.digest === digest),
  };
}

async function describe(deps: SystemReportDeps): Promise<SystemReport> {
  const [heard, ownReport, redis, nats, { queues, jobs }, regions] = await Promise.all([
    deps.reports.ask(),
    deps.own(),
    deps.redis(),
    deps.nats(),
    deps.queues(),
    deps.regions(),
  ]);
  const nowMs = deps.clock.now();
  const own: HeardReport = { ...ownReport, heardMs: nowMs, isCurrent: true };
  const reports = [
    own,
    ...heard.filter(({ service, instance }) => service !== own.service || instance !== own.instance),
  ];
  const count = deps.engines();
  const signingKeys = signingKeysOf(reports, nowMs);
  const facts = {
    time: isoOf(nowMs),
    services: [...servicesOf(reports, deps.expected)],
    engines: nats.state === "up" ? { state: count > 0 ? "up" : "down", heard: count } : { state: "unknown" },
    backends: backendsOf(reports),
    redis,
    nats,
    ...(regions && { regions }),
    queues,
    jobs: [...jobs],
    configuration: configurationOf(own, reports),
    expiries: expiriesOf(reports, nowMs),
    ...(signingKeys && { signing_keys: signingKeys }),
    scripts: scriptsOf(reports),
  };
  const findings = [...findingsOf(facts)];
  return { ...facts, ...stateOf(facts, findings), findings };
}

/** Never rejects and takes about two seconds at most: each part has its own time limit. */
export function createDescribeSystem(deps: SystemReportDeps) {
  let last: Promise<SystemReport> | undefined;
  let endedMs = Number.POSITIVE_INFINITY;
  const begin = async (): Promise<SystemReport> => {
    endedMs = Number.POSITIVE_INFINITY;
    try {
      return await describe(deps);
    } finally {
      endedMs = performance.now();
    }
  };
  return (): Promise<SystemReport> => {
    if (last === undefined || performance.now() - endedMs >= freshForMs) last = begin();
    return last;
  };
}
