import type { DecisionRecord } from "@postern/shared/contracts";
import { table } from "../table.ts";

const head = ["LAST", "TIMES", "FROM", "BY", "ACCOUNT", "OUTCOME", "REFERENCE"];

/** Whose record it is, with the name that was typed if it is another one. */
function whoseOf({ account, username }: DecisionRecord): string {
  if (account === undefined) return username ?? "-";
  return username === undefined ? account : `${account} (${username})`;
}

/** Records of sign-ins, one line each. */
export function decisionTable(records: readonly DecisionRecord[]): readonly string[] {
  const rows = records.map((record) => [
    record.time,
    String(record.count),
    record.client_ip || "-",
    [record.protocol, record.step, record.client].filter((part) => part !== undefined).join(" "),
    whoseOf(record),
    record.text,
    record.session.slice(0, 13),
  ]);
  return table(head, rows);
}
