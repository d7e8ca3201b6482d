import { parseArgs } from "node:util";
import { mailServiceTable } from "@postern/shared/domain/mail-clients";
import { type Config, formatProblem } from "@postern/shared/platform/config";
import { type CommandResult, isWrongArgument, loadForCommand } from "../command.ts";
import { type DnsRecord, dnsRecords } from "./dns-records.ts";

export const dnsUsage: readonly string[] = [
  "usage: postern dns [DOMAIN…] [--config FILE] [--json]",
  "  Prints the DNS records by which mail clients find the servers of identity.mail_clients. No service needs to run.",
  "  DOMAIN         only these mail domains",
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

function printRecords(config: Config, names: readonly string[], isJson: boolean): CommandResult {
  if (!config.identity.mail_clients.enabled) return failed("identity.mail_clients.enabled is false");
  const table = mailServiceTable(config);
  const unknown = names.filter((name) => table.find(name) === undefined);
  if (unknown.length > 0) return failed(...unknown.map((name) => `no mail domain of the configuration: ${name}`));
  const chosen = names.length === 0 ? table.all : names.flatMap((name) => table.find(name) ?? []);
  const sets = chosen.map((services) => ({ domain: services.domain, records: dnsRecords(services, table.publicUrl) }));
  const output = isJson
    ? [JSON.stringify(sets, undefined, 2)]
    : sets.flatMap(({ domain, records }) => [`; ${domain}`, ...zoneLines(records), ""]);
  return { exitCode: 0, output, errors: remarksOn(table.publicUrl) };
}

/** `postern dns`: the records to publish, without a service. */
export function runDnsCommand(args: readonly string[]): CommandResult {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: dnsOptions, allowPositionals: true });
    if (values.help) return { exitCode: 0, output: dnsUsage, errors: [] };
    const loaded = loadForCommand({ file: values.config, skipSecretFiles: true });
    if (!loaded.ok) return failed(...loaded.problems.map(formatProblem));
    return printRecords(loaded.config, positionals, values.json);
  } catch (error) {
    if (!isWrongArgument(error)) throw error;
    return { exitCode: 2, output: [], errors: [error.message, ...dnsUsage] };
  }
}
