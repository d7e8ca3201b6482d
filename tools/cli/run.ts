import { parseArgs } from "node:util";
import { checkCommand } from "./config-check.ts";
import type { CommandResult, ConfigCommand } from "./config-command.ts";
import { docsCommand } from "./config-docs.ts";
import { dumpCommand } from "./config-dump.ts";
import { explainCommand } from "./config-explain.ts";
import { schemaCommand } from "./config-schema.ts";
import { operatorUsage } from "./operator/run-operator.ts";

const commands: ReadonlyMap<string, ConfigCommand> = new Map([
  ["check", checkCommand],
  ["dump", dumpCommand],
  ["explain", explainCommand],
  ["docs", docsCommand],
  ["schema", schemaCommand],
]);

const usage = [
  ...operatorUsage,
  "usage: postern config check|dump|explain PATH|docs|schema [--config FILE] [--no-secrets]",
  "  check    tell all problems of the configuration",
  "  dump     print what is in effect, without secrets",
  "  explain  tell what a key means and where its value comes from",
  "  docs     print the configuration reference",
  "  schema   print the JSON Schema of the file",
  "usage: postern script test FILE --input REQUEST.json",
  "  test     run one function of a site script with recorded answers",
  "usage: postern directory test USER [--protocol NAME] [--json] [--no-password]",
  "  test     what a login would do in the directories, step by step",
  "  --config FILE  the file; SERVICE_CONFIG_FILE without it",
  "  --no-secrets   do not open files of secrets",
];

const options = {
  config: { type: "string" },
  "no-secrets": { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** Runs `postern` with the given arguments. */
export function run(args: readonly string[]): CommandResult {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [topic, name = "", ...operands] = positionals;
    if (values.help) return { exitCode: 0, output: usage, errors: [] };
    const command = topic === "config" ? commands.get(name) : undefined;
    if (command === undefined) return { exitCode: 2, output: [], errors: usage };
    return command({ file: values.config, skipSecretFiles: values["no-secrets"], operands });
  } catch (error) {
    if (!isWrongArgument(error)) throw error;
    return { exitCode: 2, output: [], errors: [error.message, ...usage] };
  }
}

function isWrongArgument(error: unknown): error is Error {
  return error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}
