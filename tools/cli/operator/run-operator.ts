import { parseArgs } from "node:util";
import { ApiError, createApi } from "./api.ts";
import { bansCommand } from "./bans.ts";
import { clientsCommand } from "./clients.ts";
import type { OperatorCommand, OperatorResult } from "./command.ts";
import { connectionOf, type Environment, UsageError } from "./connection.ts";
import { flushCommand, unbanCommand } from "./flush.ts";
import { keysCommand } from "./keys.ts";
import { remoteConfigCommand } from "./remote-config.ts";
import { sessionsCommand } from "./sessions.ts";
import { unlockCommand } from "./unlock.ts";
import { whyCommand } from "./why.ts";

const commands: ReadonlyMap<string, OperatorCommand> = new Map([
  ["why", whyCommand],
  ["unban", unbanCommand],
  ["unlock", unlockCommand],
  ["flush", flushCommand],
  ["bans", bansCommand],
  ["sessions", sessionsCommand],
  ["clients", clientsCommand],
  ["keys", keysCommand],
  ["config", remoteConfigCommand],
]);

export const operatorNames: readonly string[] = [...commands.keys()];

/** Options of every command that connects to a running site. */
const connectionHelp = [
  "Options of commands that connect to a running site:",
  "  --url URL             URL of the back channel (POSTERN_URL), http://127.0.0.1:9080 by default",
  "  --user NAME           user name for HTTP Basic (POSTERN_USER)",
  "  --password-file FILE  file with the password (POSTERN_PASSWORD holds the password itself)",
  "  --token-file FILE     file with a Bearer token, in place of a user name (POSTERN_TOKEN holds the token itself)",
  "  --timeout SECONDS     timeout of each request, 30 by default",
  "  --json                print JSON",
  "Exit codes: 0 success, 1 a ban, a failure or a rejected request, 2 wrong command line, 3 site unreachable",
];

export const operatorUsage: readonly string[] = [
  "usage: postern COMMAND",
  "",
  "Commands that connect to a running site (postern COMMAND --help shows details):",
  ...[...commands.values()].flatMap(({ usage, summary }) => [`  ${usage}`, `      ${summary}`]),
  "",
  ...connectionHelp,
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

/** For the manual page and completion. */
export const operatorHelp = { commands: [...commands.values()], options: Object.keys(options) } as const;

/** Whether the command line names an operator command. */
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
  const { min, max } = command.operands;
  if (operands.length < min || operands.length > max) throw new UsageError(`usage: postern ${command.usage}`);
  const { json, async: isAsync, rule, protocol, client, kill } = values;
  const flags = { json, async: isAsync, rule, protocol, client, kill };
  const shown = await command.run({ api: createApi(connectionOf(values, environment)), operands, flags, progress });
  const output = json ? [JSON.stringify(shown.json, null, 2)] : shown.lines;
  return { exitCode: shown.exitCode ?? 0, output, errors: [] };
}

/** Runs an operator command. Every failure becomes a sentence and an exit code. */
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
