import { type Static, Type } from "typebox";
import { backchannel, errorAnswer, jsonAnswer, temporaryFailure } from "../operations/answers.ts";
import { operationsWith } from "../operations/define-operation.ts";
import { consoleFamily } from "./family.ts";

const optional = (description: string) => Type.Optional(Type.String({ description }));

/** A record of the audit stream, as docs/operations/audit.md describes it. */
export const AuditRecordListed = Type.Object(
  {
    time: Type.String({ description: "Time of the event (RFC 3339)." }),
    service: Type.String({ description: "Service that wrote the record." }),
    instance: Type.String({ description: "Process that wrote the record." }),
    event: Type.String({ description: "Name of the event." }),
    outcome: Type.String({ description: "ok, denied, failed, or undecided when a dependency was unavailable." }),
    actor: optional("Actor. Absent if unknown or confidential."),
    target: optional("Target of the event."),
    account: optional("Account that a sign-in was for, if a backend has it."),
    method: optional("How the actor authenticated, or the step of a sign-in on the pages."),
    client_ip: optional("Client address or network."),
    session: optional("GUID of the request."),
    reason: optional("Reason code of the event."),
    rule: optional("Brute-force rule that blocked the network."),
    protocol: optional("Protocol of the request."),
    note: optional("Reason that an operator typed in the console."),
  },
  { title: "AuditRecord", additionalProperties: Type.String() },
);
export type AuditRecordListed = Static<typeof AuditRecordListed>;

export const AuditRecordPage = Type.Object(
  {
    records: Type.Array(AuditRecordListed, { description: "Newest first." }),
    next: optional("Value of the query parameter cursor for the next page. Absent on the last page."),
  },
  { title: "AuditRecordPage" },
);
export type AuditRecordPage = Static<typeof AuditRecordPage>;

/** What an audit record must have; all conditions apply. */
export const auditFilters = {
  actor: Type.Optional(Type.String({ maxLength: 256, description: "Part of the actor, in any case." })),
  target: Type.Optional(Type.String({ maxLength: 256, description: "Part of the target or account, in any case." })),
  event: Type.Optional(
    Type.String({ maxLength: 64, description: "Event, or the part before its dot, such as second_factor." }),
  ),
  outcome: Type.Optional(Type.Enum(["ok", "denied", "failed", "undecided"], { description: "Outcome." })),
  since: Type.Optional(Type.String({ maxLength: 64, description: "Earliest time (RFC 3339)." })),
  until: Type.Optional(Type.String({ maxLength: 64, description: "Latest time (RFC 3339)." })),
};

/** Formats of an export: comma-separated values (RFC 4180), or one JSON object per line. */
export const auditFormats = { csv: "text/csv", jsonl: "application/jsonl" } as const;
export type AuditFormat = keyof typeof auditFormats;

const auditApi = operationsWith({
  ...backchannel(consoleFamily, "Help desk"),
  anyScope: ["audit_read", "admin"],
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
    request: {
      query: Type.Object({
        ...auditFilters,
        limit: Type.Optional(
          Type.String({ pattern: "^[0-9]+$", description: "Size of the page, 1 to 500; 50 by default." }),
        ),
        cursor: Type.Optional(
          Type.String({ maxLength: 64, description: "Value of next from the previous page, with the same filters." }),
        ),
      }),
    },
    answers: { 200: jsonAnswer("The records.", AuditRecordPage) },
  }),
  auditApi("get", "/api/v1/console/audit/export", "exportAuditRecords", {
    summary: "Export the latest audit records as CSV or JSON lines",
    description:
      "All records that match, newest first. In CSV, a value that a spreadsheet would take for a formula begins with an apostrophe. The connection is reset if Redis fails during the export. The export is audited.",
    request: {
      query: Type.Object({
        ...auditFilters,
        format: Type.Optional(Type.Enum(["csv", "jsonl"], { description: "csv by default." })),
      }),
    },
    answers: {
      200: {
        description: "The records.",
        bodyOptional: true,
        content: {
          [auditFormats.csv]: Type.String({ description: "The first line has the names of the members." }),
          [auditFormats.jsonl]: Type.String({ description: "One AuditRecord per line." }),
        },
      },
    },
  }),
];
