import type { X509Certificate } from "node:crypto";
import { parseArgs } from "node:util";
import { type Config, ownCertificates, readOwnCertificate } from "@postern/shared/platform/config";
import { addTrustedRoots } from "@postern/shared/platform/net";
import { type CommandResult, isWrongArgument, loadForCommand, siteFile } from "../command.ts";
import { printable } from "../table.ts";
import { certificateOf, judgeDates } from "./certificate-dates.ts";
import { backendChecks } from "./check-backends.ts";
import { busChecks } from "./check-bus.ts";
import { callerChecks } from "./check-callers.ts";
import { domainChecks } from "./check-domains.ts";
import { type DovecotSource, dovecotCheck } from "./check-dovecot.ts";
import { redisChecks } from "./check-redis.ts";
import { serviceChecks } from "./check-services.ts";
import { type Check, type Finding, findingsOf } from "./finding.ts";
import { judgeCallers } from "./judge-callers.ts";
import { configurationFindings, judgeConfiguration } from "./judge-configuration.ts";
import { judgeFiles } from "./judge-files.ts";
import { tlsServers } from "./tls-places.ts";

function judged(certificate: X509Certificate | undefined, subject: string, what: string): readonly Finding[] {
  if (certificate === undefined) return [];
  const dated = judgeDates(certificate.validFromDate, certificate.validToDate, Date.now());
  if (dated === undefined) return [];
  return [findingsOf(subject)[dated.severity](`${what} ${dated.words}`, "renew the certificate")];
}

/** Dates of Postern's own certificates, and of those that LDAP, NATS and Redis present. */
function certificateChecks(config: Config, timeoutMs: number): readonly Check[] {
  const own = ownCertificates(config).map((one): Check => {
    const subject = `certificate ${one.key}`;
    return { subject, run: async () => judged(readOwnCertificate(one), subject, one.file || "the certificate") };
  });
  const others = tlsServers(config).map(({ key, server }): Check => {
    const subject = `certificate ${key}`;
    const run = async (): Promise<readonly Finding[]> => {
      // An unreachable server is a finding of its connection check.
      const certificate = await certificateOf(server, timeoutMs).catch(() => undefined);
      return judged(certificate, subject, `the certificate of ${server.host}:${server.port}`);
    };
    return { subject, run };
  });
  return [...own, ...others];
}

export const doctorUsage: readonly string[] = [
  "usage: postern doctor [--config FILE] [--dovecot | --doveconf FILE] [--timeout SECONDS] [--strict] [--json]",
  "  Checks the site on this machine: configuration, Redis, NATS, backends, the source of domain records, services, certificates, clock and protection.",
  "  Prints one line for each finding, with what to do. Reads only; run it as a user who can read the configuration.",
  "  --config FILE      configuration file (SERVICE_CONFIG_FILE), /etc/postern/config.yaml by default",
  "  --dovecot          also check whether Dovecot on this machine asks Postern about every password (doveconf -n)",
  "  --doveconf FILE    the same for another machine: FILE contains what `doveconf -n` printed there",
  "  --timeout SECONDS  time limit of each check, 5 by default",
  "  --strict           exit with 1 on warnings too",
  "  --json             print JSON",
  "exit codes: 0 no problem, 1 at least one problem, 2 wrong command line",
];

export const doctorOptions = {
  config: { type: "string" },
  dovecot: { type: "boolean", default: false },
  doveconf: { type: "string" },
  timeout: { type: "string", default: "5" },
  strict: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

interface Examined {
  readonly checks: number;
  readonly findings: readonly Finding[];
}

async function preflights(config: Config): Promise<readonly Finding[]> {
  const { checkServices } = await import("../config/preflights.ts");
  const { problems, warnings } = await checkServices(config, { skipSecrets: false });
  return configurationFindings(problems, warnings);
}

/** Connections are made at the same time; a server that does not answer delays nothing but its own check. */
async function examine(file: string, dovecot: DovecotSource | undefined, timeoutMs: number): Promise<Examined> {
  const loaded = loadForCommand({ file, skipSecretFiles: false });
  if (!loaded.ok) return { checks: 1, findings: configurationFindings(loaded.problems, loaded.warnings) };
  const { config, warnings, sources } = loaded;
  const first = [
    ...configurationFindings([], warnings),
    ...judgeFiles(file, config, sources),
    ...judgeCallers(file, config, sources),
    ...judgeConfiguration(config),
    ...(await preflights(config)),
  ];
  try {
    addTrustedRoots(config.runtime.outgoing_tls.ca_file);
  } catch {
    // The services could not start either: the checks of files report it.
  }
  const checks: readonly Check[] = [
    ...redisChecks(config, timeoutMs),
    ...busChecks(config),
    ...backendChecks(config, timeoutMs),
    ...domainChecks(config, timeoutMs),
    ...serviceChecks(config, timeoutMs),
    ...callerChecks(config, timeoutMs),
    ...certificateChecks(config, timeoutMs),
    ...(dovecot === undefined ? [] : [dovecotCheck(dovecot, timeoutMs)]),
  ];
  const found = await Promise.all(checks.map(({ run }) => run()));
  return { checks: checks.length + 1, findings: [...first, ...found.flat()] };
}

const rank = { problem: 0, warning: 1 } as const;

function shown({ checks, findings }: Examined): readonly string[] {
  const lines = findings
    .toSorted((one, other) => rank[one.severity] - rank[other.severity])
    .map(({ severity, subject, found, advice }) => printable(`${severity.padEnd(8)} ${subject}: ${found}. ${advice}`));
  const count = (severity: Finding["severity"]): number => findings.filter((one) => one.severity === severity).length;
  return [...lines, `${checks} checks: ${count("problem")} problems, ${count("warning")} warnings`];
}

function wrong(...errors: readonly string[]): CommandResult {
  return { exitCode: 2, output: [], errors: [...errors, ...doctorUsage] };
}

function dovecotSource(isLocal: boolean, file: string | undefined): DovecotSource | undefined {
  if (file !== undefined) return { file };
  return isLocal ? { command: "doveconf" } : undefined;
}

/** `postern doctor`: what is wrong with the running site. */
export async function runDoctorCommand(args: readonly string[]): Promise<CommandResult> {
  try {
    const { values } = parseArgs({ args: [...args], options: doctorOptions });
    if (values.help) return { exitCode: 0, output: doctorUsage, errors: [] };
    const file = siteFile(values.config);
    if (file === undefined) return wrong("no configuration file: use --config FILE or set SERVICE_CONFIG_FILE");
    const seconds = Number(values.timeout);
    if (!(seconds > 0 && seconds <= 60)) return wrong("invalid --timeout: use 1 to 60 seconds");
    const examined = await examine(file, dovecotSource(values.dovecot, values.doveconf), seconds * 1000);
    const counts = examined.findings.filter(({ severity }) => severity === "problem" || values.strict);
    const output = values.json ? [JSON.stringify(examined, undefined, 2)] : shown(examined);
    return { exitCode: counts.length === 0 ? 0 : 1, output, errors: [] };
  } catch (error) {
    if (!isWrongArgument(error)) throw error;
    return wrong(error.message);
  }
}
