import type { RehearsalReport } from "@postern/shared/contracts";
import { printable, table } from "../table.ts";

const mostGroups = 10;
const mostExamples = 3;
const mostNames = 10;
const mostRows = 40;
const hoursOfDay = 24;

type Figures = RehearsalReport["different"];
type GroupReport = RehearsalReport["groups"][number];
type Hour = RehearsalReport["timeline"][number];

const figures = ({ sign_ins: signIns, accounts, networks, at_least: isLeast = false }: Figures): readonly string[] =>
  [signIns, accounts, networks].map((number) => `${isLeast && number !== signIns ? "at least " : ""}${number}`);

export function percentOf(share: number): string {
  const percent = share * 100;
  return `${percent === 0 || percent >= 0.01 ? Number(percent.toFixed(4)) : percent.toPrecision(2)}%`;
}

function groupLines(group: GroupReport, index: number): readonly string[] {
  const { before, after, account_names: names, examples } = group;
  const [signIns = "", accounts = "", networks = ""] = figures(group);
  const shown = names.slice(0, mostNames).join(" ");
  const more = group.accounts > mostNames ? ` and ${group.accounts - mostNames} more` : "";
  return [
    "",
    printable(`${index + 1}. ${before} -> ${after}: ${signIns} sign-ins, ${accounts} accounts, ${networks} networks`),
    printable(`   accounts: ${shown}${more}`),
    ...table(
      ["   TIME", "ACCOUNT", "FROM", "PROTOCOL", "REFERENCE"],
      examples
        .slice(0, mostExamples)
        .map((one) => [`   ${one.time}`, one.username, one.client_ip || "-", one.protocol, one.session]),
    ),
  ];
}

/** Days instead of hours if there are many. */
function rowsOf(hours: readonly Hour[]): readonly (readonly string[])[] {
  const isLong = hours.length > 2 * hoursOfDay;
  const rows = new Map<string, [signIns: number, different: number, refused: number]>();
  for (const { hour, sign_ins: signIns, different, now_refused: refused } of hours) {
    const key = isLong ? hour.slice(0, 10) : `${hour.slice(0, 13)}:00`;
    const row = rows.get(key) ?? [0, 0, 0];
    rows.set(key, [row[0] + signIns, row[1] + different, row[2] + refused]);
  }
  return [...rows].slice(-mostRows).map(([key, row]) => [key, ...row.map(String)]);
}

function timelineLines({ timeline, different }: RehearsalReport): readonly string[] {
  if (different.sign_ins === 0) return [];
  return ["", ...table(["TIME (UTC)", "SIGN-INS", "DIFFERENT", "NOW REFUSED"], rowsOf(timeline))];
}

function banLines({ bans }: RehearsalReport): readonly string[] {
  if (bans.length === 0) return [];
  return [
    "",
    ...table(
      ["RULE", "BANS BEFORE", "BANS AFTER"],
      bans.map(({ rule, before, after }) => [rule, String(before), String(after)]),
    ),
  ];
}

/** What holds for every log, and for every history. */
const always: Readonly<Record<"log" | "history", readonly string[]>> = {
  log: [
    "sign-ins by browser and JWT endpoints, and those that a mail server verifies, are not in a gateway's log",
    "bans that operators ended, and addresses of API callers that name no client, are not in the log",
  ],
  history: [
    "brute-force protection and the control tls_encryption: the history does not say which wrong passwords were repeated, nor whether TLS was used",
    "the history keeps a number of failures for each account, and ordinary successes as a count for each day, network and program",
  ],
};

function notJudgedLines({ not_judged: reasons, unreadable, source = "log" }: RehearsalReport): readonly string[] {
  const lines = unreadable === 0 ? [] : [{ reason: "lines or records that could not be read", count: unreadable }];
  return [
    "",
    "What this cannot judge:",
    ...[...lines, ...reasons].map(({ reason, count }) => printable(`  ${count === 0 ? "-" : count}  ${reason}`)),
    ...always[source].map((line) => `  -  ${line}`),
  ];
}

/** The report for people. */
export function readable(report: RehearsalReport): readonly string[] {
  const { sign_ins: signIns, from, until, groups, share, complete } = report;
  const shown = groups.slice(0, mostGroups);
  return [
    ...(complete ? [] : ["INTERRUPTED: this is the result of the part that was read", ""]),
    `${signIns} sign-ins from ${from ?? "-"} until ${until ?? "-"}`,
    "",
    ...table(
      ["DECIDED DIFFERENTLY", "SIGN-INS", "ACCOUNTS", "NETWORKS"],
      [
        ["admitted before, now refused", ...figures(report.now_refused)],
        ["refused before, now admitted", ...figures(report.now_admitted)],
        ["no longer banned, answer not recorded", ...figures(report.ban_lifted)],
        ["not admitted, for another reason", ...figures(report.refused_otherwise)],
        ["all", ...figures(report.different)],
      ],
    ),
    `${percentOf(share)} of the sign-ins change between admitted and not admitted`,
    ...shown.flatMap(groupLines),
    ...(groups.length > mostGroups ? ["", `${groups.length - mostGroups} smaller groups: use --json`] : []),
    ...timelineLines(report),
    ...banLines(report),
    ...notJudgedLines(report),
  ];
}
