import type { Drive, DriveParts } from "../drive.ts";

const drive = (operationId: string, parts: DriveParts): Drive => ({ operationId, status: 200, parts: () => parts });
const broken = (operationId: string, parts: DriveParts): Drive => ({
  operationId,
  status: 400,
  parts: () => parts,
  breaksSchema: true,
});

export const consoleDrives: readonly Drive[] = [
  drive("explain", { query: { query: "alice@example.test" } }),
  drive("explain", { query: { query: "203.0.113.9" } }),
  broken("explain", {}),
  drive("explainRisk", { query: { query: "alice@example.test" } }),
  broken("explainRisk", {}),
  drive("listDecisions", { query: { account: "alice@example.test", limit: "5" } }),
  drive("listDecisions", { query: { network: "203.0.113.0/24" } }),
  drive("showNetwork", { query: { network: "203.0.113.0/24" } }),
  { operationId: "showNetwork", status: 400, parts: () => ({}) },
  { operationId: "listDecisions", status: 400, parts: () => ({}) },
  drive("listBansByEnd", { query: { order: "asc" } }),
  broken("listBansByEnd", { query: { order: "up" } }),
  drive("showAttacks", { query: { minutes: "5" } }),
  broken("showAttacks", { query: { minutes: "many" } }),
  drive("showSeries", {}),
  drive("showSeries", { query: { range: "7d", steps: "90" } }),
  broken("showSeries", { query: { range: "2h" } }),
  drive("listAuditRecords", { query: { event: "account", outcome: "ok", since: "2026-01-01T00:00:00Z", limit: "5" } }),
  broken("listAuditRecords", { query: { outcome: "perhaps" } }),
  { operationId: "listAuditRecords", status: 400, parts: () => ({ query: { until: "tomorrow" } }) },
  drive("exportAuditRecords", { query: { format: "csv" } }),
  drive("exportAuditRecords", { query: { format: "jsonl", actor: "admin" } }),
  broken("exportAuditRecords", { query: { format: "xml" } }),
  drive("showAccount", { body: { type: "application/json", value: { account: "alice@example.test" } } }),
  drive("showAccount", { body: { type: "application/json", value: { account: "nobody", protocol: "pop3" } } }),
  broken("showAccount", { body: { type: "application/json", value: {} } }),
  drive("inviteOperator", { body: { type: "application/json", value: { username: "alice@example.test" } } }),
  broken("inviteOperator", { body: { type: "application/json", value: {} } }),
  drive("suspendAccount", {
    body: { type: "application/json", value: { username: "carol@example.test", for: "24h", reason: "Call us" } },
  }),
  broken("suspendAccount", { body: { type: "application/json", value: { username: "" } } }),
  drive("listSuspensions", {}),
  drive("resumeAccount", { body: { type: "application/json", value: { username: "carol@example.test" } } }),
  broken("resumeAccount", { body: { type: "application/json", value: {} } }),
  drive("listApplications", {}),
  drive("showSystem", {}),
];
