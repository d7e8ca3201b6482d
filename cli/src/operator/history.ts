import { printable } from "../table.ts";
import { readHistory } from "./answers.ts";
import { UsageError } from "./connection.ts";
import { decisionTable } from "./decision-rows.ts";
import { subjectKind } from "./operand-kind.ts";
import type { OperatorCommand } from "./operator-command.ts";

const usage = "history ACCOUNT|NETWORK|REFERENCE [--limit N]";
const mostRecords = 500;

function limitOf(text = "50"): string {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > mostRecords)
    throw new UsageError(`invalid --limit: use 1 to ${mostRecords}`);
  return text;
}

export const historyCommand: OperatorCommand = {
  usage,
  summary: "list the recorded sign-ins of an account, a network or a reference",
  help: [
    "Lists sign-ins, newest first; equal consecutive ones are one line with their number. NETWORK is an address, or a network",
    "within an IPv4 /24 or IPv6 /48. --limit N is 50 by default, at most 500. The list is empty unless",
    "observability.decision_history is enabled. The request is audited.",
  ],
  operands: { min: 1, max: 1 },
  options: ["limit"],
  run: async ({ api, operands: [subject = ""], flags }) => {
    const query = { [subjectKind(subject)]: subject, limit: limitOf(flags.limit) };
    const page = readHistory(await api.ask("listDecisions", { query }));
    const { records, next, incomplete = [] } = page;
    const missing = incomplete.map((reason) => printable(`incomplete: ${reason}`));
    if (records.length === 0)
      return { lines: [`no sign-in of ${printable(subject)} is recorded`, ...missing], json: page };
    const more = next === undefined ? [] : ["", "there are more records: use a larger --limit"];
    return { lines: [...decisionTable(records), ...more, ...missing], json: page };
  },
};
