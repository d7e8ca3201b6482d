import { pathTo, SystemReport } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import type { Operator } from "../../operators/operator.ts";
import { sentenceHtml } from "../../texts/messages.ts";
import { countText, joined, millisecondsText, subjectText, type TextKey, t, word } from "../../texts/texts.ts";
import { createRequireAnswer } from "../api-answer.ts";
import { configurationPart } from "../configuration/configuration-page.ts";
import type { ConsolePage } from "../console-document.ts";
import type { ConsoleVisit, PageAnswer } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { getEvents } from "../get-events.ts";
import { stateBadge } from "../house/badge.ts";
import { type Column, table } from "../house/table.ts";
import { livePart } from "../live-script.ts";
import { exactTime, time } from "../shown-values.ts";

function part<Row>(key: TextKey, rows: readonly Row[], columns: readonly Column<Row>[]): Html | undefined {
  const title = t(key);
  return rows.length === 0 ? undefined : html`<h2>${title}</h2>${table({ label: title, rows, columns })}`;
}

const latency = (ms: number | undefined): Html | undefined =>
  ms === undefined ? undefined : millisecondsText(Math.round(ms * 10) / 10);

const mebibytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MiB`;

const memory = (used: number, max: number | undefined): Html =>
  max !== undefined && max > 0
    ? t("house.of", { part: mebibytes(used), all: mebibytes(max) })
    : html`${mebibytes(used)}`;

/** One process, or a service of which none has answered. */
interface ServiceRow extends Partial<SystemReport["services"][number]["instances"][number]> {
  readonly service: string;
  readonly state: string;
}

const servicesPart = ({ services }: SystemReport): Html | undefined =>
  part<ServiceRow>(
    "system.services",
    services.flatMap(({ service, state, instances }): readonly ServiceRow[] =>
      instances.length === 0
        ? [{ service, state }]
        : instances.map((instance) => ({ service, state: instance.status, ...instance })),
    ),
    [
      { name: t("col.service"), cell: ({ service }) => service },
      { name: t("system.process"), cell: ({ instance }) => instance },
      { name: t("col.state"), cell: ({ state }) => stateBadge(state) },
      { name: t("system.version"), cell: ({ version }) => version },
      { name: t("system.started"), cell: ({ started }) => started && time(started) },
      { name: t("system.checks"), cell: ({ failed_checks: failed = [] }) => joined(failed) },
    ],
  );

interface Connection {
  readonly name: Html;
  readonly state: string;
  readonly ms?: number | undefined;
  readonly about?: Html | undefined;
}

function connectionsPart({ engines, redis, nats }: SystemReport): Html | undefined {
  const { heard } = engines;
  const rows: readonly Connection[] = [
    {
      name: t("system.engines"),
      state: engines.state,
      about: heard === undefined ? undefined : t("system.heard", { count: heard }),
    },
    { name: html`NATS`, state: nats.state, ms: nats.latency_ms },
    ...redis.map(({ role, state, latency_ms: ms, used_bytes: used, max_bytes: max }) => ({
      name: t("system.redis", { role }),
      state,
      ms,
      about: used === undefined ? undefined : memory(used, max),
    })),
  ];
  return part("system.connections", rows, [
    { name: t("system.to"), cell: ({ name }) => name },
    { name: t("col.state"), cell: ({ state }) => stateBadge(state) },
    { name: t("system.latency"), isNumber: true, cell: ({ ms }) => latency(ms) },
    { name: t("house.details"), cell: ({ about }) => about },
  ]);
}

type OtherRegion = NonNullable<SystemReport["regions"]>["regions"][number];

function linkCell({ link, since, is_configured: isPeer, is_forgetting: isForgetting }: OtherRegion): Html {
  if (isForgetting) return html`${stateBadge("pending")} ${t("system.forgetting")}`;
  if (!isPeer) return t("system.removed_region");
  const from = link === "unknown" || since === undefined ? undefined : t("system.since", { time: time(since) });
  return html`${stateBadge(link)} ${from}`;
}

function droppedCell({ dropped }: OtherRegion): Html | undefined {
  const reasons = Object.entries(dropped).map(
    ([reason, count]) => html`${countText(count)} ${word("dropped", reason)}`,
  );
  return reasons.length === 0 ? undefined : joined(reasons);
}

function regionsPart({ regions: known }: SystemReport): Html | undefined {
  if (known === undefined) return undefined;
  const title = t("system.regions");
  const columns: readonly Column<OtherRegion>[] = [
    { name: t("system.region"), cell: ({ name }) => name },
    { name: t("col.state"), cell: linkCell },
    { name: t("system.last_message"), cell: ({ last_message: at }) => at && time(at) },
    {
      name: t("system.lag"),
      isNumber: true,
      cell: ({ lag_ms: ms }) => (ms === undefined ? undefined : millisecondsText(ms)),
    },
    { name: t("system.waiting"), isNumber: true, cell: ({ waiting }) => waiting },
    { name: t("system.applied"), isNumber: true, cell: ({ applied }) => applied },
    { name: t("system.dropped"), cell: droppedCell },
  ];
  return html`<h2>${title}</h2><p>${t("system.own_region", { name: known.name })}</p>${table({ label: title, rows: known.regions, columns })}`;
}

const queuesPart = ({ queues }: SystemReport): Html | undefined =>
  part("system.queues", queues, [
    { name: t("system.queue"), cell: ({ name }) => name },
    { name: t("col.state"), cell: ({ state }) => stateBadge(state) },
    { name: t("system.waiting"), isNumber: true, cell: ({ waiting }) => waiting },
    { name: t("system.active"), isNumber: true, cell: ({ active }) => active },
    { name: t("system.delayed"), isNumber: true, cell: ({ delayed }) => delayed },
    { name: t("system.failed"), isNumber: true, cell: ({ failed }) => failed },
  ]);

/** What a job of the queue waits for. */
function waitText({ ahead, runs, nextRun }: SystemReport["jobs"][number]): Html | undefined {
  if (nextRun !== undefined) return t("system.run", { number: (runs ?? 0) + 1, time: time(nextRun) });
  return ahead === undefined || ahead === 0 ? undefined : t("system.after", { count: ahead });
}

const jobsPart = ({ jobs }: SystemReport): Html | undefined =>
  part("system.jobs", jobs, [
    { name: t("system.job"), cell: ({ jobId }) => html`<code>${jobId}</code>` },
    { name: t("col.type"), cell: ({ type }) => type },
    { name: t("col.state"), cell: (job) => html`${stateBadge(job.status)} ${waitText(job)}` },
    { name: t("system.removed"), isNumber: true, cell: ({ resultCount }) => resultCount },
    { name: t("col.created"), cell: ({ createdAt }) => time(createdAt) },
    { name: t("system.finished"), cell: ({ finishedAt }) => (finishedAt === "" ? undefined : time(finishedAt)) },
    { name: t("system.error"), cell: ({ error }) => error },
  ]);

type SigningKey = NonNullable<SystemReport["signing_keys"]>[number];

function signsText({ signs, signs_from: from }: SigningKey): Html {
  if (signs.length > 0) return t("system.signs", { algorithms: signs.join(" ") });
  return from === undefined ? t("system.verifies") : t("system.signs_from", { time: exactTime(from) });
}

const keysPart = ({ signing_keys: keys = [] }: SystemReport): Html | undefined =>
  part("system.keys", keys, [
    { name: t("system.key"), cell: ({ name }) => name },
    { name: t("system.use"), cell: signsText },
    {
      name: t("system.age"),
      cell: ({ age_days: days }) => (days === undefined ? undefined : t("system.old", { count: days })),
    },
    {
      name: t("col.created"),
      cell: ({ created }) => (created === undefined ? t("system.configured") : time(created)),
    },
  ]);

const verdictClass: Readonly<Record<string, string>> = { up: "working", down: "blocked" };

/** What changes by itself. */
function liveSystem(report: SystemReport): Html {
  const { state, verdict, sentence: said, findings, backends, expiries, scripts } = report;
  const parts = [
    part("system.findings", findings, [
      { name: t("system.severity"), cell: ({ severity }) => stateBadge(severity) },
      { name: t("system.subject"), cell: ({ subject }) => subjectText(subject) },
      { name: t("system.finding"), cell: ({ text, sentence: found }) => sentenceHtml(found && [found], text) },
    ]),
    servicesPart(report),
    connectionsPart(report),
    part("col.backends", backends, [
      { name: t("system.backend"), cell: ({ name }) => name },
      { name: t("col.state"), cell: ({ state: own }) => stateBadge(own) },
      { name: t("system.not_reached"), cell: ({ down_at: at }) => joined(at) },
    ]),
    regionsPart(report),
    queuesPart(report),
    jobsPart(report),
    part("system.certificates", expiries, [
      { name: t("system.certificate"), cell: ({ name }) => name },
      { name: t("system.ends"), cell: ({ end }) => exactTime(end) },
      { name: t("system.left"), isNumber: true, cell: ({ days }) => t("duration.days", { count: days }) },
    ]),
    keysPart(report),
    part("system.scripts", scripts, [
      { name: t("system.file"), cell: ({ file }) => file },
      { name: t("system.services"), cell: ({ services }) => joined(services) },
    ]),
  ];
  return html`<div class="verdict ${verdictClass[state] ?? state}" role="status">${stateBadge(state)} ${sentenceHtml(said && [said], verdict)}</div><p>${t("system.as_of", { time: exactTime(report.time) })}</p>${parts.filter((one) => one !== undefined)}<h2>${t("page.configuration")}</h2>${configurationPart(report)}`;
}

/** The state of the site. */
export function systemPage(report: SystemReport): ConsolePage {
  const title = t("page.system");
  return {
    title,
    id: "system",
    body: html`<h1>${title}</h1>${livePart(pathTo("consoleSystemEvents"), liveSystem(report))}`,
  };
}

const readReport = createRequireAnswer(SystemReport);
const call = { operation: "showSystem" } as const;

/** `GET /console/system`, which works even while other services are stopped. */
export async function getSystemPage({ ask }: ConsolePagesDeps, { operator }: ConsoleVisit): Promise<PageAnswer> {
  return systemPage(await readReport(ask, operator, call));
}

/** `GET /console/system/events` */
export function getSystemEvents(deps: ConsolePagesDeps) {
  const render = async (operator: Operator) => liveSystem(await readReport(deps.ask, operator, call));
  return getEvents(deps, { page: "system", render });
}
