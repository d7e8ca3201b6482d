import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { formatProblem, loadConfig, type Problem, processSources } from "@postern/shared/platform/config";
import { type CommandResult, isWrongArgument } from "../command.ts";
import { AlreadyThere, groupId, writeSite } from "../init/write-site.ts";
import { printable } from "../table.ts";
import { importConfiguration } from "./import-configuration.ts";
import { type ImportNote, kinds } from "./notes.ts";

export const importUsage: readonly string[] = [
  "usage: postern config import FILE [--output DIR] [--group NAME]",
  "  Writes a configuration for Postern from one of a product with the same sections: runtime, observability, storage, auth and",
  "  identity. Lists keys without a counterpart and keys whose meaning differs. FILE is not changed, and nothing that exists is",
  "  overwritten. Secrets are moved into separate files and are not printed.",
  "  --output DIR  folder of config.yaml and secrets, ./postern by default",
  "  --group NAME  group that may read them, postern by default; if it does not exist, only the owner may",
  "exit codes: 0 the result is valid, 1 it has problems or was not written, 2 wrong command line",
];

export const importOptions = {
  output: { type: "string", default: "postern" },
  group: { type: "string", default: "postern" },
  help: { type: "boolean", short: "h", default: false },
} as const;

function wrong(...errors: readonly string[]): CommandResult {
  return { exitCode: 2, output: [], errors: [...errors, ...importUsage] };
}

function refused(...errors: readonly string[]): CommandResult {
  return { exitCode: 1, output: [], errors };
}

/** What `config check --no-secrets` finds: the files and variables of secrets may be on another machine. */
function problemsOf(text: string): readonly Problem[] {
  const { env, readFile } = processSources();
  const loaded = loadConfig({ text, env, readFile, skipSecretFiles: true });
  return loaded.ok ? [] : loaded.problems;
}

function listed(notes: readonly ImportNote[]): readonly string[] {
  return kinds.flatMap(({ kind, heading }) => {
    const lines = notes.filter((note) => note.kind === kind).map(({ path, text }) => printable(`  ${path}: ${text}`));
    return lines.length === 0 ? [] : ["", `${heading}:`, ...lines];
  });
}

async function importFile(file: string, folder: string, group: string): Promise<CommandResult> {
  const { notes, site, unreadable } = importConfiguration(readFileSync(file, "utf8"), { name: file, folder });
  if (unreadable.length > 0) return refused(...unreadable.map(formatProblem));
  await writeSite(site, { folder, group: groupId(group), verify: async () => undefined });
  const config = join(folder, "config.yaml");
  const problems = problemsOf(site.text);
  const left =
    problems.length === 0
      ? []
      : ["", "to correct before the first start:", ...problems.map((one) => `  ${formatProblem(one)}`)];
  return {
    exitCode: problems.length === 0 ? 0 : 1,
    output: [
      `wrote ${config} and ${site.secrets.size} secrets in ${join(folder, "secrets")}`,
      ...listed(notes),
      ...left,
      "",
      `Next: postern config check --config ${config}`,
    ],
    errors: [],
  };
}

/** `postern config import`: a configuration from that of Nauthilus. */
export async function runImportCommand(args: readonly string[]): Promise<CommandResult> {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: importOptions, allowPositionals: true });
    if (values.help) return { exitCode: 0, output: importUsage, errors: [] };
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0) return wrong("specify one file");
    return await importFile(file, values.output, values.group);
  } catch (error) {
    if (isWrongArgument(error)) return wrong(error.message);
    if (error instanceof AlreadyThere)
      return refused(`${error.message} exists and is not overwritten; choose another folder with --output`);
    if (error instanceof Error && "syscall" in error) return refused(`nothing was written: ${error.message}`);
    throw error;
  }
}
