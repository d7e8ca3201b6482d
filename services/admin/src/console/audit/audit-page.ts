import { type AuditRecordListed, pathTo } from "@postern/shared/contracts";
import { auditEvents } from "@postern/shared/domain/audit";
import { formOf, type Html, html } from "@postern/shared/platform/pages";
import type { Operator } from "../../operators/operator.ts";
import { proofLink } from "../action-forms.ts";
import type { ConsolePage } from "../console-document.ts";
import { stateBadge } from "../house/badge.ts";
import { table } from "../house/table.ts";
import { breakable, exactTime } from "../shown-values.ts";

/** Fields of the filter, as the form sends them. */
export type AuditFields = Readonly<Record<"actor" | "target" | "event" | "outcome" | "since" | "until", string>>;

/** `off`: audit records are not kept; `invalid`: the filter was rejected. */
export type AuditAnswer =
  | "off"
  | "invalid"
  | { readonly records: readonly AuditRecordListed[]; readonly next?: string | undefined };

export interface AuditView {
  readonly fields: AuditFields;
  readonly answer: AuditAnswer;
  /** Whether this is the first page. */
  readonly isFirst: boolean;
  readonly operator: Operator;
}

const events = Object.keys(auditEvents);
const groups = [...new Set(events.map((name) => name.split(".")[0] ?? ""))].filter(
  (group) => events.filter((name) => name.startsWith(`${group}.`)).length > 1,
);
const outcomes = ["ok", "denied", "failed", "undecided"];

function option(value: string, label: string, chosen: string): Html {
  return html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`;
}

function select(
  name: "event" | "outcome",
  label: string,
  { chosen, options }: { chosen: string; options: Html },
): Html {
  return html`<div class="field"><label for="${name}">${label}</label><select id="${name}" name="${name}">${option(
    "",
    "Any",
    chosen,
  )}${options}</select></div>`;
}

function text(name: "actor" | "target", label: string, value: string): Html {
  return html`<div class="field"><label for="${name}">${label}</label><input type="text" id="${name}" name="${name}" value="${value}" maxlength="256" autocomplete="off" autocapitalize="none" spellcheck="false"></div>`;
}

function moment(name: "since" | "until", label: string, value: string): Html {
  return html`<div class="field"><label for="${name}">${label}</label><input type="text" id="${name}" name="${name}" value="${value}" placeholder="2030-05-06 13:50" maxlength="64" autocomplete="off" spellcheck="false"></div>`;
}

function exportPart({ operator }: AuditView): Html {
  if (!operator.isProved) return html`<details><summary>Export</summary>${proofLink(pathTo("consoleAudit"))}</details>`;
  const action = pathTo("consoleAuditExport");
  return html`<div class="exports">${[
    { format: "csv", label: "Export as CSV" },
    { format: "jsonl", label: "Export as JSON lines" },
  ].map(
    ({ format, label }) =>
      html`<button type="submit" class="quiet" formaction="${action}" name="format" value="${format}">${label}</button>`,
  )}</div>`;
}

function filterForm(view: AuditView): Html {
  const { actor, target, event, outcome, since, until } = view.fields;
  const eventOptions = html`<optgroup label="Groups">${groups.map((name) => option(name, `${name}.*`, event))}</optgroup><optgroup label="Events">${events.map(
    (name) => option(name, name, event),
  )}</optgroup>`;
  const outcomeOptions = html`${outcomes.map((name) => option(name, name, outcome))}`;
  const isOpen = Object.values(view.fields).some((value) => value !== "");
  const form = formOf(
    { action: pathTo("consoleAudit"), csrfToken: view.operator.csrfToken },
    html`<div class="filters">${text("actor", "Actor", actor)}${text("target", "Target or account", target)}${select(
      "event",
      "Event",
      { chosen: event, options: eventOptions },
    )}${select("outcome", "Outcome", { chosen: outcome, options: outcomeOptions })}${moment(
      "since",
      "From (UTC)",
      since,
    )}${moment("until", "Until (UTC)", until)}</div><button type="submit" class="narrow">Filter</button>${exportPart(view)}`,
  );
  return html`<details${isOpen && html` open`}><summary>Filter and export</summary>${form}</details>`;
}

type Fact = readonly [name: string, value: string | undefined];

const detailsOf = (record: AuditRecordListed): readonly Fact[] => [
  ["Account", record.account],
  ["Reason code", record.reason],
  ["Domain", record.domain],
  ["Rule", record.rule],
  ["Method", record.method],
  ["Protocol", record.protocol],
  ["Reason that the operator gave", record.note],
  ["Service", `${record.service} ${record.instance}`],
  ["Request", record.session],
];

function details(record: AuditRecordListed): Html {
  const known = detailsOf(record).filter(([, value]) => value !== undefined && value !== "");
  return html`<details><summary>Details<span class="hidden"> of ${record.event}, ${record.time}</span></summary><dl class="pairs">${known.map(
    ([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`,
  )}</dl></details>`;
}

const recordTable = (rows: readonly AuditRecordListed[]): Html =>
  table({
    label: "Audit records",
    rows,
    columns: [
      { name: "Time", cell: ({ time }) => exactTime(time) },
      { name: "Event", cell: ({ event }) => html`<b class="word">${breakable(event)}</b>` },
      { name: "Outcome", cell: ({ outcome }) => stateBadge(outcome) },
      { name: "Actor", cell: ({ actor }) => breakable(actor) },
      { name: "Target", cell: ({ target }) => breakable(target) },
      { name: "From", cell: ({ client_ip: address }) => address },
    ],
    below: details,
  });

function nextPage({ fields, operator }: AuditView, cursor: string): Html {
  const kept = Object.entries({ ...fields, cursor });
  return formOf(
    { action: pathTo("consoleAudit"), csrfToken: operator.csrfToken },
    html`${kept.map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
    )}<button type="submit" class="quiet narrow">Older records</button>`,
  );
}

function records(view: AuditView): Html {
  const { answer, isFirst } = view;
  if (answer === "off")
    return html`<p class="lead">Audit records are only shown here if observability.audit_history.enabled is true. The audit stream has all of them.</p>`;
  if (answer === "invalid") return html`<p class="lead" role="alert">The filter is invalid.</p>`;
  const { records: found, next } = answer;
  return html`${found.length > 0 && recordTable(found)}${
    found.length === 0 && html`<p class="lead">${next === undefined ? "No more records match." : "None so far."}</p>`
  }${next !== undefined && nextPage(view, next)}${!isFirst && html`<p><a href="${pathTo("consoleAudit")}">Latest records</a></p>`}`;
}

/** Who did what, newest first. */
export function auditPage(view: AuditView): ConsolePage {
  return { title: "Audit", body: html`<h1>Audit</h1>${filterForm(view)}${records(view)}` };
}
