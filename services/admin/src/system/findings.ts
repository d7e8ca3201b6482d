import type { Sentence, SystemFinding, SystemReport } from "@postern/shared/contracts";
import { englishOf, sentence } from "../texts/messages.ts";
import { isTextKey } from "../texts/texts.ts";

type Facts = Omit<SystemReport, "state" | "verdict" | "sentence" | "findings">;

const noticeDays = 21;
/** More waiting jobs than one worker completes within a minute. */
const manyWaiting = 1000;

const finding = (severity: string, subject: string, said: Sentence): SystemFinding => ({
  severity,
  subject,
  text: englishOf([said]),
  sentence: said,
});
const problem = (subject: string, said: Sentence): SystemFinding => finding("problem", subject, said);
const warning = (subject: string, said: Sentence): SystemFinding => finding("warning", subject, said);

/** No process of a service answers; with what stops meanwhile. */
function noneAnswers(service: string): Sentence {
  const key = `finding.lost_${service}`;
  return sentence(isTextKey(key) ? key : "finding.lost");
}

function ofServices({ services, nats }: Facts): readonly SystemFinding[] {
  return services.flatMap(({ service, state, instances }) => {
    const subject = `service ${service}`;
    if (state === "unknown" && nats.state === "up") {
      return [problem(subject, noneAnswers(service))];
    }
    return instances.flatMap(({ instance, status, failed_checks: failed }) => {
      if (status === "unknown" && nats.state === "up")
        return [warning(subject, sentence("finding.silent", { instance }))];
      const checks = { instance, checks: failed.join(", ") };
      if (status === "down") return [problem(subject, sentence("finding.not_ready", checks))];
      return status === "degraded" ? [warning(subject, sentence("finding.lacks", checks))] : [];
    });
  });
}

function ofDependencies({ nats, redis, engines, backends }: Facts): readonly SystemFinding[] {
  return [
    ...(nats.state === "up" ? [] : [problem("nats", sentence("finding.nats"))]),
    ...(engines.state === "down" ? [problem("engines", sentence("finding.engines"))] : []),
    ...redis.flatMap(({ role, state }) =>
      state === "up" ? [] : [problem(`redis ${role}`, sentence("finding.redis"))],
    ),
    ...backends.flatMap(({ name, state, down_at: at, of_domains: isOfDomains }) => {
      if (state !== "down") return [];
      const [subject, found] = [`backend ${name}`, { engines: at.join(", ") }];
      if (isOfDomains === true) return [warning(subject, sentence("finding.domain_backend", found))];
      return [problem(subject, sentence("finding.backend", found))];
    }),
  ];
}

function ofExpiries({ expiries }: Facts): readonly SystemFinding[] {
  return expiries.flatMap(({ name, end, days }) => {
    const subject = `certificate ${name}`;
    if (days < 0) return [problem(subject, sentence("finding.expired", { date: end.slice(0, 10) }))];
    return days < noticeDays ? [warning(subject, sentence("finding.expires", { count: days }))] : [];
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
    problem("configuration", sentence("finding.refused", { time, services: [...names].join(", "), reason })),
  );
}

function ofConfiguration({ configuration, services, queues }: Facts): readonly SystemFinding[] {
  const { needs_restart: waiting, is_uniform: isUniform } = configuration;
  const versions = new Set(services.flatMap(({ instances }) => instances.map(({ version }) => version)));
  return [
    ...(isUniform ? [] : [warning("configuration", sentence("finding.different"))]),
    ...(waiting.length === 0
      ? []
      : [warning("configuration", sentence("finding.restart", { keys: waiting.join(", ") }))]),
    ...(versions.size <= 1
      ? []
      : [warning("versions", sentence("finding.versions", { versions: [...versions].toSorted().join(", ") }))]),
    ...queues.flatMap(({ name, waiting: jobs = 0 }) =>
      jobs >= manyWaiting ? [warning(`queue ${name}`, sentence("finding.waiting", { count: jobs }))] : [],
    ),
  ];
}

/** Each region decides alone, so that a lost link is no problem of users. */
function ofRegions({ regions }: Facts): readonly SystemFinding[] {
  if (regions === undefined) return [];
  if (!regions.is_exchanging) return [warning("regions", sentence("finding.no_exchange"))];
  return regions.regions.flatMap(({ name, link, since = "" }) =>
    link === "down" ? [warning(`region ${name}`, sentence("finding.region", { time: since }))] : [],
  );
}

/** What is wrong, problems first. */
export function findingsOf(facts: Facts): readonly SystemFinding[] {
  const all = [
    ...ofDependencies(facts),
    ...ofServices(facts),
    ...ofExpiries(facts),
    ...ofRefusedReloads(facts),
    ...ofConfiguration(facts),
    ...ofRegions(facts),
  ];
  const of = (severity: string): readonly SystemFinding[] => all.filter((one) => one.severity === severity);
  return [...of("problem"), ...of("warning")];
}

/** Without Redis, idp is ready, and tells users that they have to wait. */
const lacksRedis = ({ failed_checks: failed }: Facts["services"][number]["instances"][number]): boolean =>
  failed.includes("redis_state");

type State = Pick<SystemReport, "state" | "verdict" | "sentence">;

const stateAs = (state: string, said: Sentence): State => ({ state, verdict: englishOf([said]), sentence: said });

const isWebDown = ({ service, state, instances }: Facts["services"][number]): boolean =>
  service === "idp" && (state === "unknown" || state === "down" || instances.every(lacksRedis));

/** The state in a word and a sentence. */
export function stateOf(facts: Facts, findings: readonly SystemFinding[]): State {
  const { nats, engines, backends, services } = facts;
  if (nats.state !== "up") return stateAs("down", sentence("system.no_nats"));
  if (engines.state === "down") return stateAs("down", sentence("system.no_engine"));
  if (backends.length > 0 && backends.every((backend) => backend.state === "down"))
    return stateAs("down", sentence("system.no_backend"));
  const problems = findings.filter(({ severity }) => severity === "problem").length;
  const found = { problems, warnings: findings.length - problems };
  if (findings.length === 0) return stateAs("up", sentence("system.works"));
  return stateAs(
    "degraded",
    services.some(isWebDown) ? sentence("system.no_web", found) : sentence("system.degraded", found),
  );
}
