import type { SystemReport } from "@postern/shared/contracts";
import { printable, table } from "../table.ts";
import { readSystem } from "./answers.ts";
import type { OperatorCommand } from "./operator-command.ts";

function serviceRows({ services }: SystemReport): readonly (readonly string[])[] {
  return services.flatMap(({ service, instances }) =>
    instances.length === 0
      ? [[service, "-", "unknown", "-", "-"]]
      : instances.map(({ instance, status, version, started }) => [service, instance, status, version, started]),
  );
}

function milliseconds(latency: number | undefined): string {
  return latency === undefined ? "" : `${latency} ms`;
}

function regionRows({ regions }: SystemReport): readonly (readonly string[])[] {
  return (regions?.regions ?? []).map(({ name, link, lag_ms: lag, waiting }) => [
    `region ${name}`,
    link,
    [lag === undefined ? "" : `lag ${lag} ms`, waiting === undefined ? "" : `${waiting} waiting`]
      .filter(Boolean)
      .join(", "),
  ]);
}

function partRows(report: SystemReport): readonly (readonly string[])[] {
  const { engines, backends, redis, nats, queues, configuration } = report;
  return [
    ["engines", engines.state, engines.heard === undefined ? "" : `${engines.heard} heard`],
    ...backends.map(({ name, state, down_at: at }) => [`backend ${name}`, state, at.join(" ")]),
    ...redis.map(({ role, state, latency_ms: latency, used_bytes: used }) => [
      `redis ${role}`,
      state,
      [milliseconds(latency), used === undefined ? "" : `${Math.round(used / 2 ** 20)} MiB`].filter(Boolean).join(", "),
    ]),
    ["nats", nats.state, milliseconds(nats.latency_ms)],
    ...regionRows(report),
    ...queues.map(({ name, state, waiting, active, delayed, failed }) => [
      `queue ${name}`,
      state,
      waiting === undefined ? "" : `${waiting} waiting, ${active} active, ${delayed} delayed, ${failed} failed`,
    ]),
    [
      "configuration",
      configuration.is_uniform ? "uniform" : "different",
      `${configuration.digest}, loaded ${configuration.loaded}`,
    ],
  ];
}

function jobRows({ jobs }: SystemReport): readonly (readonly string[])[] {
  return jobs.map(({ jobId, type, status, createdAt, resultCount, error }) => [
    jobId,
    type,
    status,
    createdAt,
    error === "" ? `${resultCount} keys removed` : error,
  ]);
}

function keyRows({ signing_keys: keys = [] }: SystemReport): readonly (readonly string[])[] {
  return keys.map(({ name, created, age_days: days, signs, signs_from: from }) => [
    name,
    signs.length > 0 ? signs.join(" ") : from === undefined ? "-" : `from ${from}`,
    created ?? "configured",
    days === undefined ? "-" : String(days),
  ]);
}

/** A table after an empty line; nothing without rows. */
function part(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return rows.length === 0 ? [] : ["", ...table(head, rows)];
}

/** The report as `postern status` prints it: the verdict, what is wrong, and the parts. */
function statusLines(report: SystemReport): readonly string[] {
  const { verdict, findings, expiries, scripts, configuration } = report;
  const { changed, needs_restart: restart } = configuration;
  return [
    printable(verdict),
    ...findings.map(({ severity, subject, text }) => printable(`${severity.padEnd(8)} ${subject}: ${text}`)),
    "",
    ...table(["SERVICE", "INSTANCE", "STATE", "VERSION", "SINCE"], serviceRows(report)),
    "",
    ...table(["PART", "STATE", "DETAILS"], partRows(report)),
    ...part(["JOB", "TYPE", "STATE", "CREATED", "DETAILS"], jobRows(report)),
    ...part(
      ["CHANGED KEY", "IN EFFECT"],
      [...new Set([...changed, ...restart])].map((key) => [key, restart.includes(key) ? "after a restart" : "yes"]),
    ),
    ...part(
      ["CERTIFICATE", "EXPIRES", "DAYS"],
      expiries.map(({ name, end, days }) => [name, end, String(days)]),
    ),
    ...part(["SIGNING KEY", "SIGNS", "CREATED", "DAYS"], keyRows(report)),
    ...part(
      ["SCRIPT", "LOADED IN"],
      scripts.map(({ file, services }) => [file, services.join(" ")]),
    ),
  ];
}

export const statusCommand: OperatorCommand = {
  usage: "status",
  summary: "show the state of the site, and what is wrong",
  help: [
    "Prints the state in a sentence, what is wrong, and each part: services and versions, engines, backends, Redis, NATS,",
    "queues, jobs, configuration, certificates, signing keys and scripts. Needs gateway and admin only: what does not",
    "answer is shown as unknown. If these do not answer either, use `postern doctor` on the machine. The exit code is 0 if",
    "everything works.",
  ],
  operands: { min: 0, max: 0 },
  run: async ({ api }) => {
    const report = readSystem(await api.ask("showSystem"));
    return { exitCode: report.state === "up" ? 0 : 1, lines: statusLines(report), json: report };
  },
};
