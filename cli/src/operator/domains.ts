import { readFileSync } from "node:fs";
import type { DomainList, DomainReport } from "@postern/shared/contracts";
import { canonicalDomain } from "@postern/shared/platform/net";
import { printable, table } from "../table.ts";
import { readDomainList, readDomainReport } from "./answers.ts";
import { type Api, ApiError } from "./api.ts";
import { UsageError } from "./connection.ts";
import type { CommandContext, OperatorCommand, Shown } from "./operator-command.ts";

const pageSize = "500";
const withoutRecords = "no domain has a record: auth.backends.order decides";

function backendLine(backends: DomainReport["backends"]): string {
  const names = backends.map(({ name, is_configured: known }) => (known ? name : `${name} (not configured)`));
  return names.join(" ");
}

async function list({ api }: CommandContext): Promise<Shown> {
  const domains: DomainList["domains"] = [];
  let page: DomainList;
  let cursor: string | undefined;
  do {
    const query = { limit: pageSize, ...(cursor !== undefined && { cursor }) };
    page = readDomainList(await api.ask("listDomains", { query }));
    domains.push(...page.domains);
    cursor = page.next;
  } while (cursor !== undefined);
  const rows = domains.map(({ name, aliases, enabled, backends, sign_ins: signIns }) => [
    name,
    enabled ? "yes" : "no",
    backendLine(backends),
    aliases.join(" ") || "-",
    ...(signIns === undefined
      ? ["-", "-", "-", "-"]
      : [signIns.accounts, signIns.successes, signIns.failures, signIns.last ?? "-"].map(String)),
  ]);
  if (!page.has_records) return { lines: [withoutRecords], json: { ...page, domains } };
  const others = page.default_enabled ? "have the rules of auth.domains.default" : "are not served";
  return {
    lines: [
      ...(rows.length === 0
        ? ["no domain has a record in the configuration"]
        : table(
            ["DOMAIN", "ENABLED", "BACKENDS", "ALIASES", "ACCOUNTS", "SUCCESSES", "FAILURES", "LAST SUCCESS"],
            rows,
          )),
      ...(page.source === "none"
        ? []
        : [`records of the source (${page.source}) are not listed: use postern domains show NAME`]),
      `domains without a record ${others}`,
    ],
    json: { ...page, domains },
  };
}

const origins: Readonly<Record<string, string>> = {
  records: "record in the configuration",
  source: "record of auth.domains.source",
  default: "no record: the rules of auth.domains.default apply",
  none: withoutRecords,
};

/** In one line: which record applies to a domain, and what follows. */
export function domainLine(sought: string, report: DomainReport): string {
  const { name, found_as: as, origin, enabled } = report;
  const spelled = as === "alias" ? `${sought} is an alias of ${name}` : name;
  const state = enabled ? "" : "; not enabled: nobody signs in";
  return `${spelled}: ${origins[origin] ?? origin}; backends: ${backendLine(report.backends)}${state}`;
}

/** The sign-ins of a domain, and how many accounts it has seen. */
function signInLines({ sign_ins: signIns }: DomainReport): readonly string[] {
  if (signIns === undefined) return [];
  const { days, successes, failures, last = "none", accounts, accounts_since: since } = signIns;
  const { second_factors: factors, app_passwords: passwords } = signIns;
  return [
    `  sign-ins of ${days.length} days: ${successes} successes, ${failures} failures; last success: ${last}`,
    `  accounts since ${since}, about: ${accounts}; with second factors: ${factors}; with app passwords: ${passwords}`,
  ];
}

/** The report about a domain; undefined if the site does not serve it. */
export async function askDomain(api: Api, name: string): Promise<DomainReport | undefined> {
  try {
    return readDomainReport(await api.ask("showDomain", { path: { name } }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

async function show({ api, operands }: CommandContext): Promise<Shown> {
  const [, sought, ...others] = operands;
  if (sought === undefined || others.length > 0) throw new UsageError("domains show needs one NAME");
  const report = await askDomain(api, sought);
  if (report === undefined)
    return {
      exitCode: 1,
      lines: [printable(`${sought}: the site does not serve this domain`)],
      json: { name: sought },
    };
  const fields = Object.entries(report.record ?? {}).map(([key, value]) =>
    printable(`  ${key}: ${JSON.stringify(value)}`),
  );
  return { lines: [printable(domainLine(sought, report)), ...signInLines(report), ...fields], json: report };
}

interface Checked {
  readonly sought: string;
  /** As all parts of Postern compare it. */
  readonly spelled?: string;
  readonly problem?: string;
  readonly report?: DomainReport;
}

async function checkOne(api: Api, sought: string): Promise<Checked> {
  const at = sought.lastIndexOf("@");
  const domain = sought.slice(at + 1);
  if (canonicalDomain(domain) === undefined) return { sought, problem: "not a domain name" };
  const report = await askDomain(api, domain);
  if (report === undefined) return { sought, problem: "the site does not serve this domain" };
  const missing = report.backends.filter(({ is_configured: known }) => !known).map(({ name }) => name);
  const spelled = `${sought.slice(0, at + 1)}${report.name}`;
  if (missing.length > 0)
    return { sought, spelled, report, problem: `backends that are not configured: ${missing.join(" ")}` };
  return report.enabled
    ? { sought, spelled, report }
    : { sought, spelled, report, problem: "the domain is not enabled" };
}

const maxNames = 10_000;

function namesIn(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split(/\s+/u);
  } catch {
    throw new UsageError(`--file ${file} cannot be read`);
  }
}

async function check({ api, operands, flags }: CommandContext): Promise<Shown> {
  const named = [...operands.slice(1), ...(flags.file === undefined ? [] : namesIn(flags.file))];
  const names = [...new Set(named.filter((name) => name !== ""))];
  if (names.length === 0 || names.length > maxNames)
    throw new UsageError(`domains check needs 1 to ${maxNames} names, or --file FILE with them`);
  const checked: Checked[] = [];
  // One after the other: the source may be a customer's database.
  for (const name of names) checked.push(await checkOne(api, name));
  const rows = checked.map(({ sought, spelled = "-", report, problem = "ok" }) => [
    sought,
    spelled,
    report?.origin ?? "-",
    report === undefined ? "-" : backendLine(report.backends),
    problem,
  ]);
  return {
    exitCode: checked.some(({ problem }) => problem !== undefined) ? 1 : 0,
    lines: table(["NAME", "COUNTS AS", "ORIGIN", "BACKENDS", "RESULT"], rows),
    json: checked,
  };
}

export const domainsCommand: OperatorCommand = {
  usage: "domains list | domains show NAME | domains check [NAME…] [--file FILE]",
  summary: "show the records of domains, and which backends names reach",
  help: [
    "list: the domains with records in the configuration, and their sign-ins of 14 days; a source is not listed. show: the record of one",
    "domain or alias, where it is from, and its sign-ins. check: for each domain or user name, and each in FILE, how it is spelled, which record applies, and the",
    "backends that are queried, in their order. The exit code is 1 if a domain is not served or not enabled, or if a backend is not",
    "configured.",
  ],
  operands: { min: 1, max: maxNames },
  actions: ["list", "show", "check"],
  options: ["file"],
  run: async (context) => {
    const [action] = context.operands;
    if (action === "show") return show(context);
    return action === "check" ? check(context) : list(context);
  },
};
