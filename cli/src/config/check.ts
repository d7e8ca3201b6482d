import { type Config, formatProblem, type Problem } from "@postern/shared/platform/config";
import { unjudgedControls } from "../../../services/auth-engine/src/rehearsal/differing-sections.ts";
import { fromHistory } from "../../../services/auth-engine/src/rehearsal/record-source.ts";
import { type CommandResult, loadForCommand, siteFile } from "../command.ts";
import { isUnrehearsed } from "../rehearse/rehearsed.ts";
import type { ConfigCommand, ConfigCommandOptions } from "./config-command.ts";
import { isServiceName, type ServiceName, serviceNames } from "./ports.ts";

const usage = [
  "no configuration file: use --config FILE or set SERVICE_CONFIG_FILE",
  "usage: postern config check --config FILE [--no-secrets] [--no-files] [--service NAME]… [--strict] [--json]",
];

interface Findings {
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** What to do next. It never changes the exit code. */
  readonly hint?: string | undefined;
}

async function openFiles(config: Config, skipSecrets: boolean, services: readonly ServiceName[]): Promise<Findings> {
  // Loaded only here, because the services' code takes time to load.
  const { checkServices } = await import("./preflights.ts");
  return checkServices(config, { skipSecrets, services: services.length === 0 ? serviceNames : services });
}

/** Prints the findings for programs; the exit code is that of the readable form. */
function jsonOf({ problems, warnings, hint }: Findings, exitCode: CommandResult["exitCode"]): CommandResult {
  const hints = hint === undefined ? {} : { hints: [hint] };
  return {
    exitCode,
    output: [JSON.stringify({ valid: exitCode === 0, problems, warnings, ...hints }, undefined, 2)],
    errors: [],
  };
}

function readable({ problems, warnings, hint }: Findings, isStrict: boolean): CommandResult {
  const errors = warnings.map((warning) => `warning: ${formatProblem(warning)}`);
  if (problems.length > 0) {
    return { exitCode: 1, output: [], errors: [...errors, "configuration problems:", ...problems.map(formatProblem)] };
  }
  if (!isStrict || warnings.length === 0)
    return { exitCode: 0, output: ["the configuration is valid", ...(hint === undefined ? [] : [hint])], errors };
  return { exitCode: 1, output: [], errors: [...errors, "--strict: warnings are treated as problems"] };
}

function resultOf(findings: Findings, { isStrict, isJson }: ConfigCommandOptions): CommandResult {
  const result = readable(findings, isStrict);
  return isJson ? jsonOf(findings, result.exitCode) : result;
}

/** The command that shows what a change of rules or backends means for users, unless it was run for this change. */
function rehearsalHint(config: Config, { file, environment }: ConfigCommandOptions): string | undefined {
  if (file === undefined || siteFile(undefined) === undefined) return undefined;
  const current = loadForCommand({ file: undefined, skipSecretFiles: true });
  if (!current.ok || !isUnrehearsed(current.config, config, environment)) return undefined;
  const needsLog = unjudgedControls(current.config, config, fromHistory).length > 0;
  const from = needsLog ? " --from LOG (LOG is the log of a gateway)" : "";
  return `rules or backends of this file differ from those in use; to see which sign-ins of the last week would end differently, run: postern rehearse --config ${file} --since 7d${from}`;
}

/** Reports all problems of the configuration and of the files that it names. */
export const checkCommand: ConfigCommand = async (options) => {
  if (siteFile(options.file) === undefined) return { exitCode: 2, output: [], errors: usage };
  const services = options.services.filter(isServiceName);
  const unknown = options.services.find((name) => !isServiceName(name));
  if (unknown !== undefined) {
    return { exitCode: 2, output: [], errors: [`no service ${JSON.stringify(unknown)}: ${serviceNames.join(", ")}`] };
  }
  const loaded = loadForCommand(options);
  if (!loaded.ok) return resultOf(loaded, options);
  const opened = options.skipFiles
    ? { problems: [], warnings: [] }
    : await openFiles(loaded.config, options.skipSecretFiles, services);
  const warnings = [...loaded.warnings, ...opened.warnings];
  return resultOf({ problems: opened.problems, warnings, hint: rehearsalHint(loaded.config, options) }, options);
};
