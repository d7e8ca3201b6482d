import { parseArgs } from "node:util";
import { nearestName } from "@postern/shared/platform/config";
import { version } from "@postern/shared/platform/lifecycle";
import { commandTable, configOptions, overview } from "./command-table.ts";
import { checkCommand } from "./config-check.ts";
import type { CommandResult, ConfigCommand } from "./config-command.ts";
import { docsCommand } from "./config-docs.ts";
import { dumpCommand } from "./config-dump.ts";
import { explainCommand } from "./config-explain.ts";
import { schemaCommand } from "./config-schema.ts";

const commands: ReadonlyMap<string, ConfigCommand> = new Map([
  ["check", checkCommand],
  ["dump", dumpCommand],
  ["explain", explainCommand],
  ["docs", docsCommand],
  ["schema", schemaCommand],
]);

const entryOf = (topic: string | undefined) => commandTable.find(({ name }) => name === topic);

function unknown(topic: string | undefined, name: string): CommandResult {
  if (topic === undefined) return { exitCode: 2, output: [], errors: overview() };
  const entry = entryOf(topic);
  if (entry !== undefined && name === "") return { exitCode: 2, output: [], errors: entry.help };
  const names = commandTable.map((one) => one.name);
  const [word, known, whole] = entry === undefined ? [topic, names, topic] : [name, entry.actions, `${topic} ${name}`];
  const near = nearestName(word, known);
  const hint = near === undefined ? "" : ` (did you mean ${entry === undefined ? near : `${topic} ${near}`}?)`;
  return {
    exitCode: 2,
    output: [],
    errors: [`postern: unknown command ${JSON.stringify(whole)}${hint}`, "run postern --help for the list of commands"],
  };
}

const isUnknown = (first: string | undefined): boolean =>
  first !== undefined && !first.startsWith("-") && entryOf(first) === undefined;

/** What people type to learn about the program. */
function aboutItself([first, topic]: readonly string[]): CommandResult | undefined {
  if (first === "--version" || first === "version") return { exitCode: 0, output: [`postern ${version}`], errors: [] };
  return first === "help" ? helpAbout(topic) : undefined;
}

function helpAbout(topic: string | undefined): CommandResult {
  const entry = entryOf(topic);
  if (topic !== undefined && entry === undefined) return unknown(topic, "");
  return { exitCode: 0, output: entry?.help ?? overview(), errors: [] };
}

/** Runs `postern` with the given arguments. */
export async function run(args: readonly string[]): Promise<CommandResult> {
  const about = aboutItself(args);
  if (about !== undefined) return about;
  const [first] = args;
  // Before its options are read, which no command may know.
  if (isUnknown(first)) return unknown(first, "");
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: configOptions, allowPositionals: true });
    const [topic, name = "", ...operands] = positionals;
    if (values.help) return { exitCode: 0, output: entryOf(topic)?.help ?? overview(), errors: [] };
    const command = topic === "config" ? commands.get(name) : undefined;
    if (command === undefined) return unknown(topic, name);
    return await command({
      file: values.config,
      skipSecretFiles: values["no-secrets"],
      skipFiles: values["no-files"],
      services: values.service,
      isStrict: values.strict,
      isJson: values.json,
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
