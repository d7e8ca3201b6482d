import { type Static, Type } from "typebox";
import { backchannel, errorAnswer, jsonAnswer, queryOf, temporaryFailure } from "../operations/answers.ts";
import { operationsWith } from "../operations/define-operation.ts";
import { component, optionalText, text } from "../schema.ts";
import { consoleFamily } from "./operations.ts";

/** A record of the audit stream, as docs/reference/audit.md describes it. */
export const AuditRecordListed = component(
  "AuditRecord",
  {
    time: text("Time of the event (RFC 3339)."),
    service: text("Service that wrote the record."),
    instance: text("Process that wrote the record. Empty for a caller that is limited to domains."),
    event: text("Name of the event."),
    outcome: text("ok, denied, failed, or undecided when a dependency was unavailable."),
    actor: optionalText("Actor. Absent if unknown or confidential."),
    target: optionalText("Target of the event."),
    account: optionalText("Account that a sign-in was for, if a backend has it."),
    method: optionalText("How the actor authenticated, or the step of a sign-in on the pages."),
    client_ip: optionalText("Client address or network."),
    session: optionalText("GUID of the request."),
    reason: optionalText("Reason code of the event."),
    domain: optionalText(
      "Domain of the account that the record is about. Absent while no domain has rules of its own.",
    ),
    actor_domain: optionalText("Domains to which the actor is limited, with commas."),
    rule: optionalText("Brute-force rule that blocked the network."),
    protocol: optionalText("Protocol of the request."),
    note: optionalText("Reason that an operator typed in the console."),
  },
  { additionalProperties: Type.String() },
);
export type AuditRecordListed = Static<typeof AuditRecordListed>;

export const AuditRecordPage = component("AuditRecordPage", {
  records: Type.Array(AuditRecordListed, { description: "Newest first." }),
  next: optionalText("Value of the query parameter cursor for the next page. Absent on the last page."),
});
export type AuditRecordPage = Static<typeof AuditRecordPage>;

/** What an audit record must have; all conditions apply. */
export const auditFilters = {
  actor: optionalText("Part of the actor, in any case.", { maxLength: 256 }),
  domain: optionalText("Domain of the account, by name or alias.", { maxLength: 253 }),
  target: optionalText("Part of the target or account, in any case.", { maxLength: 256 }),
  event: optionalText("Event, or the part before its dot, such as second_factor.", { maxLength: 64 }),
  outcome: Type.Optional(Type.Enum(["ok", "denied", "failed", "undecided"], { description: "Outcome." })),
  since: optionalText("Earliest time (RFC 3339).", { maxLength: 64 }),
  until: optionalText("Latest time (RFC 3339).", { maxLength: 64 }),
};

/** Formats of an export: comma-separated values (RFC 4180), or one JSON object per line. */
export const auditFormats = { csv: "text/csv", jsonl: "application/jsonl" } as const;
export type AuditFormat = keyof typeof auditFormats;

const auditApi = operationsWith({
  ...backchannel(consoleFamily, "Help desk"),
  anyScope: ["audit_read", "admin"],
  concerns: { of: "accounts" },
  answers: {
    400: errorAnswer("A query parameter is invalid."),
    404: errorAnswer("The audit history is disabled."),
    500: temporaryFailure,
  },
});

export const auditOperations = [
  auditApi("get", "/api/v1/console/audit", "listAuditRecords", {
    summary: "List the latest audit records",
    description:
      "A page may be shorter than its limit, or empty, although there are more: next continues. Records are kept for observability.audit_history.retention. The request is audited.",
    request: queryOf({
      ...auditFilters,
      limit: optionalText("Size of the page, 1 to 500; 50 by default.", { pattern: "^[0-9]+$" }),
      cursor: optionalText("Value of next from the previous page, with the same filters.", { maxLength: 64 }),
    }),
    answers: { 200: jsonAnswer("The records.", AuditRecordPage) },
  }),
  auditApi("get", "/api/v1/console/audit/export", "exportAuditRecords", {
    summary: "Export the latest audit records as CSV or JSON lines",
    description:
      "All records that match, newest first. In CSV, a value that a spreadsheet would take for a formula begins with an apostrophe. The connection is reset if Redis fails during the export. The export is audited.",
    request: queryOf({
      ...auditFilters,
      format: Type.Optional(Type.Enum(["csv", "jsonl"], { description: "csv by default." })),
    }),
    answers: {
      200: {
        description: "The records.",
        bodyOptional: true,
        content: {
          [auditFormats.csv]: text("The first line has the names of the members."),
          [auditFormats.jsonl]: text("One AuditRecord per line."),
        },
      },
    },
  }),
];
