import type { ShadowReport } from "@postern/shared/contracts";
import { printable, table } from "../table.ts";
import { readShadowReport } from "./answers.ts";
import { UsageError } from "./connection.ts";
import type { CommandContext, OperatorCommand, Shown } from "./operator-command.ts";

type Difference = ShadowReport["differences"][number];

/** As many as the report keeps. */
const maxDifferences = 10_000;
const pageSize = 500;
const shownByDefault = 50;

function limitOf(text: string | undefined, usual: number): number {
  const limit = Number(text ?? usual);
  if (!Number.isInteger(limit) || limit < 1 || limit > maxDifferences)
    throw new UsageError(`invalid --limit: use 1 to ${maxDifferences}`);
  return limit;
}

const share = (different: number, compared: number): string =>
  compared === 0 ? "-" : `${Number(((100 * different) / compared).toPrecision(3))}%`;

const values = (digests: readonly string[]): string => (digests.length === 0 ? "absent" : digests.join(","));

function sidesOf({ old, new: now, attributes = [] }: Difference): string {
  return [
    ...(old === undefined && now === undefined ? [] : [`${old ?? "-"} -> ${now ?? "-"}`]),
    ...attributes.map((one) => `${one.name}: ${values(one.old)} -> ${values(one.new)}`),
  ].join("; ");
}

function summaryOf({ is_on: isOn, order, percent, passwords, since, last, omitted, ...report }: ShadowReport) {
  const { compared, different, accounts } = report;
  const { undecided_old: old, undecided_new: now, dropped } = omitted;
  return [
    isOn
      ? printable(`shadow: ${order.join(", ")} gets ${percent}% of the requests; passwords: ${passwords}`)
      : `shadow: off (${order.length === 0 ? "auth.shadow.order is empty" : "auth.shadow.percent is 0"})`,
    ...(since === undefined ? [] : [`since ${since}, last ${last ?? since}`]),
    `compared: ${compared} requests; different: ${different} (${share(different, compared)}); accounts that differ: ${accounts}`,
    `not comparable: ${old} undecided by the old backends, ${now} by the new ones, ${dropped} dropped`,
  ];
}

function comparedTable(name: string, rows: ShadowReport["domains"]): readonly string[] {
  if (rows.length === 0) return [];
  const cells = rows.map((row) => [
    row.name,
    String(row.compared),
    String(row.different),
    share(row.different, row.compared),
  ]);
  return ["", ...table([name, "COMPARED", "DIFFERENT", "SHARE"], cells)];
}

function linesOf(report: ShadowReport, hasMore: boolean): readonly string[] {
  const { kinds, domains, protocols, differences } = report;
  const found = kinds.filter(({ requests, accounts }) => requests + accounts > 0);
  const kindRows = found.map(({ kind, accounts, requests }) => [kind, String(accounts), String(requests)]);
  const rows = differences.map((one) => [one.account, one.kind, one.protocol, one.time, sidesOf(one)]);
  return [
    ...summaryOf(report),
    ...(found.length === 0 ? [] : ["", ...table(["KIND", "ACCOUNTS", "REQUESTS"], kindRows)]),
    ...comparedTable("DOMAIN", domains),
    ...comparedTable("PROTOCOL", protocols),
    ...(rows.length === 0 ? [] : ["", ...table(["ACCOUNT", "KIND", "PROTOCOL", "LAST SEEN", "OLD -> NEW"], rows)]),
    ...(hasMore ? ["", "there are more differences: use a larger --limit, or --json"] : []),
  ];
}

async function report({ api, flags }: CommandContext): Promise<Shown> {
  const limit = limitOf(flags.limit, flags.json ? maxDifferences : shownByDefault);
  const differences: Difference[] = [];
  let cursor: string | undefined;
  let first: ShadowReport | undefined;
  do {
    const query = {
      limit: String(Math.min(pageSize, limit - differences.length)),
      ...(flags.kind !== undefined && { kind: flags.kind }),
      ...(cursor !== undefined && { cursor }),
    };
    const page = readShadowReport(await api.ask("showShadowReport", { query }));
    first ??= page;
    differences.push(...page.differences);
    cursor = page.next;
  } while (cursor !== undefined && differences.length < limit);
  const { next: _next, ...whole } = first;
  const all = { ...whole, differences };
  return { lines: linesOf(all, cursor !== undefined), json: all };
}

async function reset({ api, flags }: CommandContext): Promise<Shown> {
  if (flags.kind !== undefined || flags.limit !== undefined)
    throw new UsageError("shadow reset deletes the whole report: use it without --kind and --limit");
  await api.ask("resetShadowReport");
  return { lines: ["the report is deleted; the next comparisons start a new one"], json: { reset: true } };
}

export const shadowCommand: OperatorCommand = {
  usage: "shadow report [--kind KIND] [--limit N] | shadow reset",
  summary: "show where the answers of auth.shadow differ from those of the backends that decide, or start a new report",
  help: [
    "report: totals, rates by domain and protocol, and the accounts that differed when they were last compared, the latest first.",
    "KIND is missing, added, password, disabled, account, attributes or second_factors. --limit N is 50 by default, and 10000, which",
    "is all, with --json. Values of attributes are shown as digests. reset: deletes the whole report, for example after a repair.",
  ],
  operands: { min: 1, max: 1 },
  actions: ["report", "reset"],
  options: ["kind", "limit"],
  run: (context) => (context.operands[0] === "reset" ? reset(context) : report(context)),
};
