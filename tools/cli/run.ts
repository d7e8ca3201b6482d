import { parseArgs } from "node:util";
import { nearestName } from "@postern/shared/platform/config";
import { checkCommand } from "./config-check.ts";
import type { CommandResult, ConfigCommand } from "./config-command.ts";
import { docsCommand } from "./config-docs.ts";
import { dumpCommand } from "./config-dump.ts";
import { explainCommand } from "./config-explain.ts";
import { schemaCommand } from "./config-schema.ts";
import { operatorNames, operatorUsage } from "./operator/run-operator.ts";

const commands: ReadonlyMap<string, ConfigCommand> = new Map([
  ["check", checkCommand],
  ["dump", dumpCommand],
  ["explain", explainCommand],
  ["docs", docsCommand],
  ["schema", schemaCommand],
]);

const usage = [
  ...operatorUsage,
  "",
  "Commands for setting up and checking a site:",
  "  init [--mail-server NAME]… [--backend URL] [--pages URL] …",
  "      write the configuration of a new site with generated secrets",
  "  doctor [--config FILE] [--strict] [--json]",
  "      check the running site and say what to do",
  "",
  "Commands that read the configuration and need no running service:",
  "  config check|dump|explain PATH|docs|schema [--config FILE]",
  "      check    report all problems of the configuration and of the files that it names",
  "      dump     print the effective configuration with secrets masked",
  "      explain  print the meaning of a key, its value and where the value comes from",
  "      docs     print the configuration reference",
  "      schema   print the JSON Schema of the file",
  "  config import FILE [--output DIR]",
  "      write a configuration from that of a compatible product, and list what differs",
  "  script test FILE --input REQUEST.json",
  "      run one function of a site script with recorded answers",
  "  directory test USER [--protocol NAME] [--config FILE] [--json] [--no-password]",
  "      show step by step what a login would do in the backends",
  "  dns [DOMAIN…] [--config FILE] [--json]",
  "      print the DNS records by which mail clients find their settings",
  "",
  "Options of these commands:",
  "  --config FILE  configuration file (SERVICE_CONFIG_FILE)",
  "  --no-secrets   do not open the files of secrets, keys and certificates",
  "  --no-files     config check: open no file except the configuration",
  "  --strict       config check: exit with 1 on warnings too",
];

/** All first words of a command line. */
const topics = ["init", "doctor", "config", "script", "directory", "dns", ...operatorNames];

const options = {
  config: { type: "string" },
  "no-secrets": { type: "boolean", default: false },
  "no-files": { type: "boolean", default: false },
  strict: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

function unknown(topic: string | undefined, name: string): CommandResult {
  if (topic === undefined) return { exitCode: 2, output: [], errors: usage };
  const [word, known, whole] =
    topic === "config" ? [name, [...commands.keys(), "import", "load"], `config ${name}`] : [topic, topics, topic];
  if (topic === "config" && name === "") return { exitCode: 2, output: [], errors: usage };
  const near = nearestName(word, known);
  const hint = near === undefined ? "" : ` (did you mean ${topic === "config" ? `config ${near}` : near}?)`;
  return {
    exitCode: 2,
    output: [],
    errors: [`postern: unknown command ${JSON.stringify(whole)}${hint}`, "run postern --help for the list of commands"],
  };
}

/** Runs `postern` with the given arguments. */
export async function run(args: readonly string[]): Promise<CommandResult> {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [topic, name = "", ...operands] = positionals;
    if (values.help) return { exitCode: 0, output: usage, errors: [] };
    const command = topic === "config" ? commands.get(name) : undefined;
    if (command === undefined) return unknown(topic, name);
    return await command({
      file: values.config,
      skipSecretFiles: values["no-secrets"],
      skipFiles: values["no-files"],
      isStrict: values.strict,
      operands,
    });
  } catch (error) {
    if (!isWrongArgument(error)) throw error;
    return { exitCode: 2, output: [], errors: [error.message, "run postern --help for the list of commands"] };
  }
}

function isWrongArgument(error: unknown): error is Error {
  return error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}
