import type { SystemFinding, SystemReport } from "@postern/shared/contracts";

type Facts = Omit<SystemReport, "state" | "verdict" | "findings">;

const noticeDays = 21;
/** More waiting jobs than one worker completes within a minute. */
const manyWaiting = 1000;

const problem = (subject: string, text: string): SystemFinding => ({ severity: "problem", subject, text });
const warning = (subject: string, text: string): SystemFinding => ({ severity: "warning", subject, text });

/** What stops while no process of a service answers. */
const lost: Readonly<Record<string, string>> = {
  gateway: "mail servers and browsers cannot reach the services",
  "auth-engine": "every sign-in is a temporary failure",
  idp: "users cannot sign in to web applications",
  "jobs-worker": "flush jobs and user notifications wait",
};

function ofServices({ services, nats }: Facts): readonly SystemFinding[] {
  return services.flatMap(({ service, state, instances }) => {
    const subject = `service ${service}`;
    if (state === "unknown" && nats.state === "up") {
      const effect = lost[service];
      return [problem(subject, `no process answers${effect === undefined ? "" : `: ${effect}`}`)];
    }
    return instances.flatMap(({ instance, status, failed_checks: failed }) => {
      if (status === "unknown" && nats.state === "up")
        return [warning(subject, `${instance} does not answer; it has ended or hangs`)];
      if (status === "down") return [problem(subject, `${instance} is not ready: ${failed.join(", ")}`)];
      return status === "degraded" ? [warning(subject, `${instance} works without ${failed.join(", ")}`)] : [];
    });
  });
}

function ofDependencies({ nats, redis, engines, backends }: Facts): readonly SystemFinding[] {
  return [
    ...(nats.state === "up"
      ? []
      : [problem("nats", "admin cannot reach NATS; without it, every sign-in is a temporary failure")]),
    ...(engines.state === "down" ? [problem("engines", "no engine sends heartbeats")] : []),
    ...redis.flatMap(({ role, state }) => (state === "up" ? [] : [problem(`redis ${role}`, "does not answer")])),
    ...backends.flatMap(({ name, state, down_at: at }) =>
      state === "down" ? [problem(`backend ${name}`, `cannot be used by ${at.join(", ")}`)] : [],
    ),
  ];
}

function ofExpiries({ expiries }: Facts): readonly SystemFinding[] {
  return expiries.flatMap(({ name, end, days }) => {
    const subject = `certificate ${name}`;
    if (days < 0) return [problem(subject, `expired on ${end.slice(0, 10)}`)];
    return days < noticeDays ? [warning(subject, `expires in ${days} days`)] : [];
  });
}

/** One finding for each reason: a reload usually reaches all processes. */
function ofRefusedReloads({ services }: Facts): readonly SystemFinding[] {
  const refusals = new Map<string, { readonly time: string; readonly services: Set<string> }>();
  for (const { service, instances } of services) {
    for (const { refused } of instances.map(({ configuration }) => configuration)) {
      if (refused === undefined) continue;
      const known = refusals.get(refused.reason) ?? { time: refused.time, services: new Set() };
      known.services.add(service);
      refusals.set(refused.reason, known);
    }
  }
  return [...refusals].map(([reason, { time, services: names }]) =>
    problem(
      "configuration",
      `refused at ${time} by ${[...names].join(", ")}, because ${reason}; the previous configuration stays in effect`,
    ),
  );
}

function ofConfiguration({ configuration, services, queues }: Facts): readonly SystemFinding[] {
  const { needs_restart: waiting, is_uniform: isUniform } = configuration;
  const versions = new Set(services.flatMap(({ instances }) => instances.map(({ version }) => version)));
  return [
    ...(isUniform ? [] : [warning("configuration", "the processes have different configurations")]),
    ...(waiting.length === 0 ? [] : [warning("configuration", `changed keys need a restart: ${waiting.join(", ")}`)]),
    ...(versions.size <= 1 ? [] : [warning("versions", `several are running: ${[...versions].toSorted().join(", ")}`)]),
    ...queues.flatMap(({ name, waiting: jobs = 0 }) =>
      jobs >= manyWaiting ? [warning(`queue ${name}`, `${jobs} jobs are waiting`)] : [],
    ),
  ];
}

/** What is wrong, problems first. */
export function findingsOf(facts: Facts): readonly SystemFinding[] {
  const all = [
    ...ofDependencies(facts),
    ...ofServices(facts),
    ...ofExpiries(facts),
    ...ofRefusedReloads(facts),
    ...ofConfiguration(facts),
  ];
  const of = (severity: string): readonly SystemFinding[] => all.filter((one) => one.severity === severity);
  return [...of("problem"), ...of("warning")];
}

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;

/** Without Redis, idp is ready, and tells users that they have to wait. */
const lacksRedis = ({ failed_checks: failed }: Facts["services"][number]["instances"][number]): boolean =>
  failed.includes("redis_state");

/** The state in a word and a sentence. */
export function stateOf(facts: Facts, findings: readonly SystemFinding[]): Pick<SystemReport, "state" | "verdict"> {
  const { nats, engines, backends, services } = facts;
  if (nats.state !== "up") return { state: "down", verdict: "Sign-in does not work: NATS cannot be reached." };
  if (engines.state === "down") return { state: "down", verdict: "Sign-in does not work: no engine answers." };
  if (backends.length > 0 && backends.every((backend) => backend.state === "down"))
    return { state: "down", verdict: "Sign-in works from caches only: no backend can be used." };
  const problems = findings.filter(({ severity }) => severity === "problem").length;
  const warnings = findings.length - problems;
  const found = [problems > 0 && plural(problems, "problem"), warnings > 0 && plural(warnings, "warning")]
    .filter((text) => text !== false)
    .join(" and ");
  if (found === "") return { state: "up", verdict: "Everything works." };
  if (
    services.some(
      ({ service, state, instances }) =>
        service === "idp" && (state === "unknown" || state === "down" || instances.every(lacksRedis)),
    )
  )
    return { state: "degraded", verdict: `Mail sign-in works, web sign-in does not: ${found}.` };
  return { state: "degraded", verdict: `Sign-in works, with ${found}.` };
}
