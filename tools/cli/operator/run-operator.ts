import { parseArgs } from "node:util";
import { ApiError, createApi } from "./api.ts";
import { bansCommand } from "./bans.ts";
import type { OperatorCommand, OperatorResult } from "./command.ts";
import { connectionOf, type Environment, UsageError } from "./connection.ts";
import { flushCommand, unbanCommand } from "./flush.ts";
import { remoteConfigCommand } from "./remote-config.ts";
import { sessionsCommand } from "./sessions.ts";
import { whyCommand } from "./why.ts";

const commands: ReadonlyMap<string, OperatorCommand> = new Map([
  ["why", whyCommand],
  ["unban", unbanCommand],
  ["flush", flushCommand],
  ["bans", bansCommand],
  ["sessions", sessionsCommand],
  ["config", remoteConfigCommand],
]);

/** What every command that asks a running site understands. */
const connectionHelp = [
  "  --url URL             where the back channel is; POSTERN_URL, http://127.0.0.1:9080",
  "  --user NAME           name of the Basic credentials; POSTERN_USER",
  "  --password-file FILE  their password; POSTERN_PASSWORD",
  "  --token-file FILE     a Bearer token instead; POSTERN_TOKEN",
  "  --timeout SECONDS     for each request, 30",
  "  --json                print JSON",
];

export const operatorUsage: readonly string[] = [
  "usage: postern COMMAND, for a running site over its HTTP interface; postern COMMAND --help tells more",
  ...[...commands.values()].flatMap(({ usage, summary }) => [`  ${usage}`, `      ${summary}`]),
  ...connectionHelp,
  "  ends with 0 well, 1 blocked, refused or failed, 2 wrong command line, 3 not reached",
];

const options = {
  url: { type: "string" },
  user: { type: "string" },
  "password-file": { type: "string" },
  "token-file": { type: "string" },
  timeout: { type: "string" },
  json: { type: "boolean", default: false },
  async: { type: "boolean", default: false },
  rule: { type: "string" },
  protocol: { type: "string" },
  client: { type: "string" },
  kill: { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** Whether the first words of the command line are ours. */
export function isOperatorCommand([name = "", second]: readonly string[]): boolean {
  return commands.has(name) && (name !== "config" || second === "load");
}

function helpOf({ usage, summary, help }: OperatorCommand): OperatorResult {
  return {
    exitCode: 0,
    output: [`usage: postern ${usage}`, `  ${summary}`, "", ...help, "", ...connectionHelp],
    errors: [],
  };
}

function failure(error: unknown): OperatorResult {
  if (error instanceof UsageError || (error instanceof TypeError && "code" in error)) {
    return { exitCode: 2, output: [], errors: [error.message] };
  }
  if (error instanceof ApiError) return { exitCode: error.status === 0 ? 3 : 1, output: [], errors: [error.message] };
  throw error;
}

export interface OperatorSurroundings {
  readonly environment: Environment;
  readonly progress: (line: string) => void;
}

async function runCommand(
  args: readonly string[],
  { environment, progress }: OperatorSurroundings,
): Promise<OperatorResult> {
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [name = "", ...operands] = positionals;
  const command = commands.get(name);
  if (command === undefined) return { exitCode: 2, output: [], errors: operatorUsage };
  if (values.help) return helpOf(command);
  const { least, most } = command.operands;
  if (operands.length < least || operands.length > most) throw new UsageError(`usage: postern ${command.usage}`);
  const { json, async: isAsync, rule, protocol, client, kill } = values;
  const flags = { json, async: isAsync, rule, protocol, client, kill };
  const shown = await command.run({ api: createApi(connectionOf(values, environment)), operands, flags, progress });
  const output = json ? [JSON.stringify(shown.json, null, 2)] : shown.lines;
  return { exitCode: shown.exitCode ?? 0, output, errors: [] };
}

/** Runs a command of operators; whatever goes wrong is a sentence and an exit code. */
export async function runOperatorCommand(
  args: readonly string[],
  surroundings: OperatorSurroundings,
): Promise<OperatorResult> {
  try {
    return await runCommand(args, surroundings);
  } catch (error) {
    return failure(error);
  }
}
