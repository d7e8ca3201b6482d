import { pathTo, SystemReport } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { type Html, html } from "@postern/shared/platform/pages";
import type { Operator } from "../../operators/operator.ts";
import { createReadAnswer } from "../api-answer.ts";
import { configurationPart } from "../configuration/configuration-page.ts";
import type { ConsolePage } from "../console-document.ts";
import { type ConsoleVisit, forOperator, sendPage } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { getEvents } from "../get-events.ts";
import { stateBadge } from "../house/badge.ts";
import { type Column, table } from "../house/table.ts";
import { livePart } from "../live-script.ts";
import { exactTime, plural, time } from "../shown-values.ts";

function part<Row>(title: string, rows: readonly Row[], columns: readonly Column<Row>[]): Html | undefined {
  return rows.length === 0 ? undefined : html`<h2>${title}</h2>${table({ label: title, rows, columns })}`;
}

const joined = (parts: readonly string[]): string => parts.join(", ");

const latency = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : `${ms.toFixed(1)} ms`);

const mebibytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MiB`;

const memory = (used: number, max: number | undefined): string =>
  max !== undefined && max > 0 ? `${mebibytes(used)} of ${mebibytes(max)}` : mebibytes(used);

/** One process, or a service of which none has answered. */
interface ServiceRow extends Partial<SystemReport["services"][number]["instances"][number]> {
  readonly service: string;
  readonly state: string;
}

const servicesPart = ({ services }: SystemReport): Html | undefined =>
  part<ServiceRow>(
    "Services",
    services.flatMap(({ service, state, instances }): readonly ServiceRow[] =>
      instances.length === 0
        ? [{ service, state }]
        : instances.map((instance) => ({ service, state: instance.status, ...instance })),
    ),
    [
      { name: "Service", cell: ({ service }) => service },
      { name: "Process", cell: ({ instance }) => instance },
      { name: "State", cell: ({ state }) => stateBadge(state) },
      { name: "Version", cell: ({ version }) => version },
      { name: "Started", cell: ({ started }) => started && time(started) },
      { name: "Failed checks", cell: ({ failed_checks: failed = [] }) => joined(failed) },
    ],
  );

interface Connection {
  readonly name: string;
  readonly state: string;
  readonly ms?: number | undefined;
  readonly about?: string | undefined;
}

function connectionsPart({ engines, redis, nats }: SystemReport): Html | undefined {
  const { heard } = engines;
  const rows: readonly Connection[] = [
    { name: "Engines", state: engines.state, about: heard === undefined ? undefined : `${heard} heard` },
    { name: "NATS", state: nats.state, ms: nats.latency_ms },
    ...redis.map(({ role, state, latency_ms: ms, used_bytes: used, max_bytes: max }) => ({
      name: `Redis, role ${role}`,
      state,
      ms,
      about: used === undefined ? undefined : memory(used, max),
    })),
  ];
  return part("Connections", rows, [
    { name: "To", cell: ({ name }) => name },
    { name: "State", cell: ({ state }) => stateBadge(state) },
    { name: "Latency", isNumber: true, cell: ({ ms }) => latency(ms) },
    { name: "Details", cell: ({ about }) => about },
  ]);
}

const queuesPart = ({ queues }: SystemReport): Html | undefined =>
  part("Queues", queues, [
    { name: "Queue", cell: ({ name }) => name },
    { name: "State", cell: ({ state }) => stateBadge(state) },
    { name: "Waiting", isNumber: true, cell: ({ waiting }) => waiting },
    { name: "Active", isNumber: true, cell: ({ active }) => active },
    { name: "Delayed", isNumber: true, cell: ({ delayed }) => delayed },
    { name: "Failed", isNumber: true, cell: ({ failed }) => failed },
  ]);

/** What a job of the queue waits for. */
function waitText({ ahead, runs, nextRun }: SystemReport["jobs"][number]): Html | undefined {
  if (nextRun !== undefined) return html`run ${(runs ?? 0) + 1}, ${time(nextRun)}`;
  return ahead === undefined || ahead === 0 ? undefined : html`after ${plural(ahead, "job", "jobs")}`;
}

const jobsPart = ({ jobs }: SystemReport): Html | undefined =>
  part("Flush jobs", jobs, [
    { name: "Job", cell: ({ jobId }) => html`<code>${jobId}</code>` },
    { name: "Type", cell: ({ type }) => type },
    { name: "State", cell: (job) => html`${stateBadge(job.status)} ${waitText(job)}` },
    { name: "Keys removed", isNumber: true, cell: ({ resultCount }) => resultCount },
    { name: "Created", cell: ({ createdAt }) => time(createdAt) },
    { name: "Finished", cell: ({ finishedAt }) => (finishedAt === "" ? undefined : time(finishedAt)) },
    { name: "Error", cell: ({ error }) => error },
  ]);

type SigningKey = NonNullable<SystemReport["signing_keys"]>[number];

function signsText({ signs, signs_from: from }: SigningKey): Html {
  if (signs.length > 0) return html`signs ${signs.join(" ")}`;
  return from === undefined ? html`only verifies` : html`signs from ${exactTime(from)}`;
}

const keysPart = ({ signing_keys: keys = [] }: SystemReport): Html | undefined =>
  part("Signing keys", keys, [
    { name: "Key", cell: ({ name }) => name },
    { name: "Use", cell: signsText },
    {
      name: "Age",
      cell: ({ age_days: days }) => (days === undefined ? undefined : `${plural(days, "day", "days")} old`),
    },
    {
      name: "Created",
      cell: ({ created }) => (created === undefined ? "from the configuration" : time(created)),
    },
  ]);

const verdictClass: Readonly<Record<string, string>> = { up: "working", down: "blocked" };

/** What changes by itself. */
function liveSystem(report: SystemReport): Html {
  const { state, verdict, findings, backends, expiries, scripts } = report;
  const parts = [
    part("Findings", findings, [
      { name: "Severity", cell: ({ severity }) => stateBadge(severity) },
      { name: "Subject", cell: ({ subject }) => subject },
      { name: "Finding", cell: ({ text }) => text },
    ]),
    servicesPart(report),
    connectionsPart(report),
    part("Backends", backends, [
      { name: "Backend", cell: ({ name }) => name },
      { name: "State", cell: ({ state: own }) => stateBadge(own) },
      { name: "Not reached from", cell: ({ down_at: at }) => joined(at) },
    ]),
    queuesPart(report),
    jobsPart(report),
    part("Certificates", expiries, [
      { name: "Certificate", cell: ({ name }) => name },
      { name: "Ends", cell: ({ end }) => exactTime(end) },
      { name: "Left", isNumber: true, cell: ({ days }) => plural(days, "day", "days") },
    ]),
    keysPart(report),
    part("Scripts", scripts, [
      { name: "File", cell: ({ file }) => file },
      { name: "Services", cell: ({ services }) => joined(services) },
    ]),
  ];
  return html`<div class="verdict ${verdictClass[state] ?? state}" role="status">${stateBadge(state)} ${verdict}</div><p>As of ${exactTime(
    report.time,
  )}.</p>${parts.filter((one) => one !== undefined)}<h2>Configuration</h2>${configurationPart(report)}`;
}

/** The state of the site. */
export function systemPage(report: SystemReport): ConsolePage {
  return {
    title: "System",
    body: html`<h1>System</h1>${livePart(pathTo("consoleSystemEvents"), liveSystem(report))}`,
  };
}

const readReport = createReadAnswer(SystemReport);

async function reportFor({ ask }: ConsolePagesDeps, operator: Operator): Promise<SystemReport> {
  const report = await readReport(ask, operator, { operation: "showSystem" });
  if (report === undefined) throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "showSystem rejected the request" });
  return report;
}

/** `GET /console/system`, which works even while other services are stopped. */
export function getSystemPage(deps: ConsolePagesDeps) {
  const handle = async ({ reply, operator }: ConsoleVisit) =>
    sendPage(deps, reply, systemPage(await reportFor(deps, operator)), operator);
  return forOperator(deps, { route: "consoleSystem", handle });
}

/** `GET /console/system/events` */
export function getSystemEvents(deps: ConsolePagesDeps) {
  return getEvents(deps, { page: "system", render: async (operator) => liveSystem(await reportFor(deps, operator)) });
}
