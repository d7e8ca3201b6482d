import { parseArgs } from "node:util";
import { type MailServices, mailServiceTable } from "@postern/shared/domain/mail-clients";
import { type Config, formatProblem, type LoadResult } from "@postern/shared/platform/config";
import { systemClock } from "@postern/shared/platform/time";
import { type CommandResult, isWrongArgument, loadForCommand } from "../command.ts";
import { placeName } from "../directory/domain-of.ts";
import { reasonOf } from "../directory/steps.ts";
import { type DnsRecord, dnsRecords } from "./dns-records.ts";

export const dnsUsage: readonly string[] = [
  "usage: postern dns [DOMAIN…] [--config FILE] [--json]",
  "  Prints the DNS records by which mail clients find the servers of identity.mail_clients. No service needs to run.",
  "  DOMAIN         only these mail domains; those whose records are in auth.domains.source must be named",
  "  --config FILE  configuration file (SERVICE_CONFIG_FILE)",
  "  --json         print JSON",
  "exit codes: 0 success, 1 an invalid configuration or an unknown domain, 2 wrong command line",
];

export const dnsOptions = {
  config: { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

const failed = (...errors: readonly string[]): CommandResult => ({ exitCode: 1, output: [], errors });

/** Lines of a zone file, in groups with the specification above each. */
function zoneLines(records: readonly DnsRecord[]): readonly string[] {
  return [...Map.groupBy(records, ({ source }) => source)].flatMap(([source, group]) => [
    `; ${source}`,
    ...group.map(({ name, type, value }) => `${name} IN ${type} ${value}`),
  ]);
}

function remarksOn({ protocol, port, hostname }: URL): readonly string[] {
  if (protocol === "https:" && port === "") return [];
  return [
    `warning: identity.oidc.issuer is ${protocol}//${hostname}${port === "" ? "" : `:${port}`}, but mail clients ask these names over https on port 443`,
  ];
}

const quiet = { warn: () => undefined, info: () => undefined };

/** The mail services of a domain, or why there are none. The source of domain records is queried as by an engine. */
async function servicesFor(
  name: string,
  config: Config,
  { findWith }: Pick<ReturnType<typeof mailServiceTable>, "findWith">,
): Promise<MailServices | string> {
  try {
    const found = await findWith(name, async (domain) => {
      const placed = await placeName(config, `@${domain}`, { log: quiet, clock: systemClock });
      return placed?.domain.isKnown === true ? placed.domain.record?.mail : undefined;
    });
    return found ?? `no mail domain: ${name}`;
  } catch (error) {
    return `the record of ${name} could not be read: ${reasonOf(error)}`;
  }
}

async function printRecords(config: Config, names: readonly string[], isJson: boolean): Promise<CommandResult> {
  if (!config.identity.mail_clients.enabled) return failed("identity.mail_clients.enabled is false");
  const table = mailServiceTable(config);
  const found = await Promise.all(names.map((name) => servicesFor(name, config, table)));
  const faults = found.filter((one) => typeof one === "string");
  if (faults.length > 0) return failed(...faults);
  const chosen = names.length === 0 ? table.all : found.filter((one) => typeof one !== "string");
  const sets = chosen.map((services) => ({ domain: services.domain, records: dnsRecords(services, table.publicUrl) }));
  const output = isJson
    ? [JSON.stringify(sets, undefined, 2)]
    : sets.flatMap(({ domain, records }) => [`; ${domain}`, ...zoneLines(records), ""]);
  return { exitCode: 0, output, errors: remarksOn(table.publicUrl) };
}

/** Named domains may have records in a database, whose password is a secret. */
function loadFor(file: string | undefined, names: readonly string[]): LoadResult {
  const loaded = loadForCommand({ file, skipSecretFiles: true });
  const hasSource = loaded.ok && loaded.config.auth.domains.source.kind !== "none";
  return hasSource && names.length > 0 ? loadForCommand({ file, skipSecretFiles: false }) : loaded;
}

/** `postern dns`: the records to publish, without a service. */
export async function runDnsCommand(args: readonly string[]): Promise<CommandResult> {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: dnsOptions, allowPositionals: true });
    if (values.help) return { exitCode: 0, output: dnsUsage, errors: [] };
    const loaded = loadFor(values.config, positionals);
    if (!loaded.ok) return failed(...loaded.problems.map(formatProblem));
    return await printRecords(loaded.config, positionals, values.json);
  } catch (error) {
    if (!isWrongArgument(error)) throw error;
    return { exitCode: 2, output: [], errors: [error.message, ...dnsUsage] };
  }
}
