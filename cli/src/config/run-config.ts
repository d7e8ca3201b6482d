import { parseArgs } from "node:util";
import { formatProblem } from "@postern/shared/platform/config";
import { type Command, type CommandResult, loadForCommand, type Surroundings, unknownWord } from "../command.ts";
import { checkCommand } from "./check.ts";
import type { ConfigCommand } from "./config-command.ts";
import { dumpConfig } from "./dump.ts";
import { explainCommand } from "./explain-command.ts";
import { generatedConfigFiles } from "./reference/generated-files.ts";
import { configJsonSchema } from "./reference/json-schema.ts";

/** Prints the effective configuration without secrets. */
const dumpCommand: ConfigCommand = (options) => {
  const result = loadForCommand(options);
  if (!result.ok) return { exitCode: 1, output: [], errors: result.problems.map(formatProblem) };
  return { exitCode: 0, output: dumpConfig(result.config), errors: [] };
};

/** Prints the JSON Schema of the file, for editors. */
const schemaCommand: ConfigCommand = () => ({
  exitCode: 0,
  output: [JSON.stringify(configJsonSchema(), null, 2)],
  errors: [],
});

/** Prints all pages of the configuration reference. */
const docsCommand: ConfigCommand = () => {
  const pages = [...generatedConfigFiles()].filter(([path]) => path.endsWith(".md"));
  return { exitCode: 0, output: pages.map(([, text]) => text), errors: [] };
};

export const configOptions = {
  config: { type: "string" },
  "no-secrets": { type: "boolean", default: false },
  "no-files": { type: "boolean", default: false },
  service: { type: "string", multiple: true, default: [] as string[] },
  strict: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

const actions: ReadonlyMap<string, ConfigCommand> = new Map([
  ["check", checkCommand],
  ["dump", dumpCommand],
  ["explain", explainCommand],
  ["docs", docsCommand],
  ["schema", schemaCommand],
]);

/**
 * `postern config ACTION`, without those that are features of their own.
 * @throws TypeError for a wrong option
 */
export function runConfigCommand(
  args: readonly string[],
  { help, actions: known }: Pick<Command, "help" | "actions">,
  { environment }: Pick<Surroundings, "environment">,
): CommandResult | Promise<CommandResult> {
  const { values, positionals } = parseArgs({ args: [...args], options: configOptions, allowPositionals: true });
  const [action = "", ...operands] = positionals;
  if (values.help) return { exitCode: 0, output: help, errors: [] };
  const run = actions.get(action);
  if (run === undefined)
    return action === "" ? { exitCode: 2, output: [], errors: help } : unknownWord(action, known, "config");
  return run({
    file: values.config,
    skipSecretFiles: values["no-secrets"],
    skipFiles: values["no-files"],
    services: values.service,
    isStrict: values.strict,
    isJson: values.json,
    operands,
    environment,
  });
}
