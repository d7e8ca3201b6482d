import type { AuditRecordListed } from "@postern/shared/contracts";
import { printable, table } from "../table.ts";
import { readAuditPage } from "./answers.ts";
import type { CommandContext, OperatorCommand, Shown } from "./operator-command.ts";
import { recordLimit } from "./record-limit.ts";

async function list({ api, flags }: CommandContext): Promise<Shown> {
  const { domain, account: target, event, outcome } = flags;
  const limit = recordLimit(flags.limit);
  const filters = Object.entries({ domain, target, event, outcome }).filter(([, value]) => value !== undefined);
  const records: AuditRecordListed[] = [];
  let next: string | undefined;
  // A page may end early, because much was read and little matched.
  do {
    const query = {
      ...Object.fromEntries(filters),
      limit: String(limit - records.length),
      ...(next && { cursor: next }),
    };
    const page = readAuditPage(await api.ask("listAuditRecords", { query }));
    records.push(...page.records);
    next = page.next;
  } while (next !== undefined && records.length < limit);
  const json = { records, ...(next !== undefined && { next }) };
  if (records.length === 0) return { lines: ["no such record is kept"], json };
  const rows = records.map((one) => [
    one.time,
    one.event,
    one.outcome,
    printable(one.actor ?? "-"),
    printable(one.target ?? one.account ?? "-"),
    one.domain ?? "-",
    one.client_ip ?? "-",
  ]);
  const more = next === undefined ? [] : ["", "there are more records: use a larger --limit"];
  return { lines: [...table(["TIME", "EVENT", "OUTCOME", "ACTOR", "TARGET", "DOMAIN", "FROM"], rows), ...more], json };
}

export const auditCommand: OperatorCommand = {
  usage: "audit [--domain DOMAIN] [--account NAME] [--event EVENT] [--outcome OUTCOME] [--limit N]",
  summary: "list the latest audit records",
  help: [
    "Lists records of the audit history, newest first, if observability.audit_history is enabled. --domain DOMAIN lists those about",
    "accounts of a domain, --account NAME those with NAME in target or account, --event EVENT those of an event or of a group such as",
    "second_factor, and --outcome one of ok, denied, failed and undecided. --limit N is 50 by default, at most 500. The request is",
    "audited.",
  ],
  operands: { min: 0, max: 0 },
  options: ["domain", "account", "event", "outcome", "limit"],
  run: list,
};
