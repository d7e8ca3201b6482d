import { type AuditRecordListed, pathTo } from "@postern/shared/contracts";
import { auditEvents } from "@postern/shared/domain/audit";
import { formOf, type Html, html } from "@postern/shared/platform/pages";
import type { Operator } from "../../operators/operator.ts";
import { t, word } from "../../texts/texts.ts";
import { proofLink } from "../action-forms.ts";
import type { ConsolePage } from "../console-document.ts";
import { stateBadge } from "../house/badge.ts";
import { table } from "../house/table.ts";
import { breakable, exactTime } from "../shown-values.ts";

/** Fields of the filter, as the form sends them. */
export type AuditFields = Readonly<
  Record<"actor" | "target" | "domain" | "event" | "outcome" | "since" | "until", string>
>;

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

function option(value: string, label: Html | string, chosen: string): Html {
  return html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`;
}

function select(name: "event" | "outcome", label: Html, { chosen, options }: { chosen: string; options: Html }): Html {
  return html`<div class="field"><label for="${name}">${label}</label><select id="${name}" name="${name}">${option(
    "",
    t("audit.any"),
    chosen,
  )}${options}</select></div>`;
}

function text(name: "actor" | "target" | "domain", label: Html, value: string): Html {
  return html`<div class="field"><label for="${name}">${label}</label><input type="text" id="${name}" name="${name}" value="${value}" maxlength="256" autocomplete="off" autocapitalize="none" spellcheck="false"></div>`;
}

function moment(name: "since" | "until", label: Html, value: string): Html {
  return html`<div class="field"><label for="${name}">${label}</label><input type="text" id="${name}" name="${name}" value="${value}" placeholder="2030-05-06 13:50" maxlength="64" autocomplete="off" spellcheck="false"></div>`;
}

function exportPart({ operator }: AuditView): Html {
  if (!operator.isProved)
    return html`<details><summary>${t("audit.export")}</summary>${proofLink(pathTo("consoleAudit"))}</details>`;
  const action = pathTo("consoleAuditExport");
  return html`<div class="exports">${[
    { format: "csv", label: t("audit.csv") },
    { format: "jsonl", label: t("audit.jsonl") },
  ].map(
    ({ format, label }) =>
      html`<button type="submit" class="quiet" formaction="${action}" name="format" value="${format}">${label}</button>`,
  )}</div>`;
}

function filterForm(view: AuditView): Html {
  const { actor, target, domain, event, outcome, since, until } = view.fields;
  const eventOptions = html`<optgroup label="${t("audit.groups")}">${groups.map((name) => option(name, `${name}.*`, event))}</optgroup><optgroup label="${t("audit.events")}">${events.map(
    (name) => option(name, name, event),
  )}</optgroup>`;
  const outcomeOptions = html`${outcomes.map((name) => option(name, word("state", name), outcome))}`;
  const isOpen = Object.values(view.fields).some((value) => value !== "");
  const form = formOf(
    { action: pathTo("consoleAudit"), csrfToken: view.operator.csrfToken },
    html`<div class="filters">${text("actor", t("audit.actor"), actor)}${text("target", t("audit.target_or_account"), target)}${view.operator.domain === undefined && text("domain", t("domains.domain"), domain)}${select(
      "event",
      t("audit.event"),
      { chosen: event, options: eventOptions },
    )}${select("outcome", t("audit.outcome"), { chosen: outcome, options: outcomeOptions })}${moment(
      "since",
      t("audit.since"),
      since,
    )}${moment("until", t("audit.until"), until)}</div><button type="submit" class="narrow">${t("house.filter")}</button>${exportPart(view)}`,
  );
  return html`<details${isOpen && html` open`}><summary>${t("audit.filter_export")}</summary>${form}</details>`;
}

type Fact = readonly [name: Html, value: string | undefined];

const detailsOf = (record: AuditRecordListed): readonly Fact[] => [
  [t("col.account"), record.account],
  [t("audit.reason"), record.reason],
  [t("domains.domain"), record.domain],
  [t("audit.actor_domain"), record.actor_domain],
  [t("col.rule"), record.rule],
  [t("audit.method"), record.method],
  [t("col.protocol"), record.protocol],
  [t("audit.note"), record.note],
  [t("col.service"), `${record.service} ${record.instance}`],
  [t("audit.request"), record.session],
];

function details(record: AuditRecordListed): Html {
  const known = detailsOf(record).filter(([, value]) => value !== undefined && value !== "");
  return html`<details><summary>${t("house.details")}<span class="hidden">: ${record.event}, ${record.time}</span></summary><dl class="pairs">${known.map(
    ([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`,
  )}</dl></details>`;
}

const recordTable = (rows: readonly AuditRecordListed[]): Html =>
  table({
    label: t("audit.records"),
    rows,
    columns: [
      { name: t("col.time"), cell: ({ time }) => exactTime(time) },
      { name: t("audit.event"), cell: ({ event }) => html`<b class="word">${breakable(event)}</b>` },
      { name: t("audit.outcome"), cell: ({ outcome }) => stateBadge(outcome) },
      { name: t("audit.actor"), cell: ({ actor }) => breakable(actor) },
      { name: t("audit.target"), cell: ({ target }) => breakable(target) },
      { name: t("col.from"), cell: ({ client_ip: address }) => address },
    ],
    below: details,
  });

function nextPage({ fields, operator }: AuditView, cursor: string): Html {
  const kept = Object.entries({ ...fields, cursor });
  return formOf(
    { action: pathTo("consoleAudit"), csrfToken: operator.csrfToken },
    html`${kept.map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
    )}<button type="submit" class="quiet narrow">${t("audit.older")}</button>`,
  );
}

function records(view: AuditView): Html {
  const { answer, isFirst } = view;
  if (answer === "off") return html`<p class="lead">${t("audit.off")}</p>`;
  if (answer === "invalid") return html`<p class="lead" role="alert">${t("audit.invalid")}</p>`;
  const { records: found, next } = answer;
  return html`${found.length > 0 && recordTable(found)}${
    found.length === 0 && html`<p class="lead">${next === undefined ? t("audit.no_more") : t("audit.none_yet")}</p>`
  }${next !== undefined && nextPage(view, next)}${!isFirst && html`<p><a href="${pathTo("consoleAudit")}">${t("audit.latest")}</a></p>`}`;
}

/** Who did what, newest first. */
export function auditPage(view: AuditView): ConsolePage {
  const title = t("page.audit");
  return { title, id: "audit", body: html`<h1>${title}</h1>${filterForm(view)}${records(view)}` };
}
