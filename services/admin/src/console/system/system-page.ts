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
import { livePart, liveScript } from "../live-script.ts";
import { time } from "../shown-values.ts";

/** One line of a list: a name, its state and details. */
type Line = readonly [name: string, state: string, details?: string | undefined];

function lines(title: string, items: readonly Line[]): Html | undefined {
  if (items.length === 0) return undefined;
  return html`<h2>${title}</h2><ul class="counted">${items.map(
    ([name, state, details]) =>
      html`<li><span class="name">${name}</span> <span>${state}${details !== undefined && details !== "" && html`, ${details}`}</span></li>`,
  )}</ul>`;
}

const joined = (...parts: readonly (string | false | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== false && part !== "").join(", ");

const latency = (ms: number | undefined): string | false => ms !== undefined && `${ms.toFixed(1)} ms`;

const mebibytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MiB`;

const memory = (used: number, max: number | undefined): string =>
  max !== undefined && max > 0 ? `${mebibytes(used)} of ${mebibytes(max)}` : mebibytes(used);

function serviceLines({ services }: SystemReport): readonly Line[] {
  return services.flatMap<Line>(({ service, state, instances }) =>
    instances.length === 0
      ? [[service, state]]
      : instances.map(
          ({ instance, version, status, failed_checks: failed }) =>
            [
              `${service} ${instance}`,
              status,
              joined(`version ${version}`, failed.length > 0 && `failed: ${failed.join(" ")}`),
            ] as const,
        ),
  );
}

function connectionLines({ engines, redis, nats }: SystemReport): readonly Line[] {
  return [
    ["Engines", engines.state, engines.heard === undefined ? undefined : `${engines.heard} heard`],
    ["NATS", nats.state, joined(latency(nats.latency_ms))],
    ...redis.map(
      ({ role, state, latency_ms: ms, used_bytes: used, max_bytes: max }) =>
        [`Redis, role ${role}`, state, joined(latency(ms), used !== undefined && memory(used, max))] as const,
    ),
  ];
}

function queueLines({ queues }: SystemReport): readonly Line[] {
  return queues.map(({ name, state, waiting, active, delayed, failed }) => {
    const counts = Object.entries({ waiting, active, delayed, failed });
    return [name, state, joined(...counts.map(([word, count]) => count !== undefined && `${count} ${word}`))] as const;
  });
}

const moment = (iso: string): string => `${iso.slice(0, 19).replace("T", " ")} UTC`;

function jobLines({ jobs }: SystemReport): readonly Line[] {
  return jobs.map(({ jobId, type, status, createdAt, finishedAt, resultCount, error }) => {
    const times = finishedAt === "" ? `created ${moment(createdAt)}` : `finished ${moment(finishedAt)}`;
    return [`${type} ${jobId}`, status, joined(`${resultCount} keys removed`, times, error)] as const;
  });
}

function keyLines({ signing_keys: keys = [] }: SystemReport): readonly Line[] {
  return keys.map(({ name, created, age_days: days, signs, signs_from: from }) => {
    const waiting = from === undefined ? "only verifies" : `signs from ${moment(from)}`;
    const age = days !== undefined && `${days} ${days === 1 ? "day" : "days"} old`;
    const since = created === undefined ? "from the configuration" : `created ${moment(created)}`;
    return [name, signs.length > 0 ? `signs ${signs.join(" ")}` : waiting, joined(age, since)] as const;
  });
}

const verdictClass: Readonly<Record<string, string>> = { up: "working", down: "blocked" };

/** What changes by itself. */
function liveSystem(report: SystemReport): Html {
  const { state, verdict, findings, backends, expiries, scripts } = report;
  const parts = [
    lines(
      "Findings",
      findings.map(({ severity, subject, text }) => [`${severity}: ${subject}`, text]),
    ),
    lines("Services", serviceLines(report)),
    lines("Connections", connectionLines(report)),
    lines(
      "Backends",
      backends.map(({ name, state: own, down_at: at }) => [name, own, joined(at.length > 0 && `at ${at.join(" ")}`)]),
    ),
    lines("Queues", queueLines(report)),
    lines("Flush jobs", jobLines(report)),
    lines(
      "Certificates",
      expiries.map(({ name, end, days }) => [name, `${days} days`, end.slice(0, 10)]),
    ),
    lines("Signing keys", keyLines(report)),
    lines(
      "Scripts",
      scripts.map(({ file, services }) => [file, services.join(", ")]),
    ),
  ];
  return html`<div class="verdict ${verdictClass[state] ?? state}" role="status">${verdict}</div><p>As of ${time(
    report.time,
  )}.</p>${parts.filter((part) => part !== undefined)}<h2>Configuration</h2>${configurationPart(report)}`;
}

/** The state of the site. */
export function systemPage(report: SystemReport): ConsolePage {
  return {
    title: "System",
    script: liveScript.path,
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
