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
  drive("listDecisions", { query: { account: "alice@example.test", limit: "5" } }),
  drive("listDecisions", { query: { network: "203.0.113.0/24" } }),
  { operationId: "listDecisions", status: 400, parts: () => ({}) },
  drive("listBansByEnd", { query: { order: "asc" } }),
  broken("listBansByEnd", { query: { order: "up" } }),
  drive("showAttacks", { query: { minutes: "5" } }),
  broken("showAttacks", { query: { minutes: "many" } }),
  drive("showSystem", {}),
];
