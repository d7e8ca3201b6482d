import { parseArgs } from "node:util";
import { nearestName } from "@postern/shared/platform/config";
import type { CommandResult } from "../command.ts";
import { ApiError, createApi } from "./api.ts";
import { connectionOf, type Environment, type FindOwnSite, UsageError } from "./connection.ts";
import type { OperatorCommand } from "./operator-command.ts";
import { operatorCommands } from "./operator-commands.ts";
import { connectionHelp, connectionOptionNames, operatorOptions } from "./options.ts";
import { processScreen, type Screen } from "./screen.ts";

function helpOf({ usage, summary, help }: OperatorCommand): CommandResult {
  return {
    exitCode: 0,
    output: [`usage: postern ${usage}`, `  ${summary}`, "", ...help, "", ...connectionHelp],
    errors: [],
  };
}

function failure(error: unknown): CommandResult {
  if (error instanceof UsageError || (error instanceof TypeError && "code" in error)) {
    return { exitCode: 2, output: [], errors: [error.message] };
  }
  if (error instanceof ApiError) return { exitCode: error.status === 0 ? 3 : 1, output: [], errors: [error.message] };
  throw error;
}

export interface OperatorSurroundings {
  readonly environment: Environment;
  readonly findOwnSite: FindOwnSite;
  readonly progress: (line: string) => void;
  /** That of the process by default. */
  readonly screen?: Screen;
}

/** An option of another command would have no effect. @throws UsageError */
function requireKnown(command: OperatorCommand, optionNames: readonly string[]): void {
  const known: ReadonlySet<string> = new Set([...connectionOptionNames, ...(command.options ?? [])]);
  const other = optionNames.find((name) => !known.has(name));
  if (other !== undefined) throw new UsageError(`--${other} has no effect here; usage: postern ${command.usage}`);
}

/** @throws UsageError for a second word that the command does not have, with the nearest one */
function requireAction({ usage, actions }: OperatorCommand, [action]: readonly string[]): void {
  if (actions === undefined || action === undefined || actions.includes(action)) return;
  const near = nearestName(action, actions);
  const hint = near === undefined ? "" : ` (did you mean ${near}?)`;
  throw new UsageError(`unknown action ${JSON.stringify(action)}${hint}; usage: postern ${usage}`);
}

async function runCommand(
  args: readonly string[],
  { environment, findOwnSite, progress, screen = processScreen }: OperatorSurroundings,
): Promise<CommandResult> {
  const parsed = parseArgs({ args: [...args], options: operatorOptions, allowPositionals: true, tokens: true });
  const { values, positionals } = parsed;
  const [name = "", ...operands] = positionals;
  const command = operatorCommands.get(name);
  if (command === undefined) throw new UsageError("run postern --help for the list of commands");
  if (values.help) return helpOf(command);
  requireKnown(
    command,
    parsed.tokens.flatMap((token) => (token.kind === "option" ? [token.name] : [])),
  );
  requireAction(command, operands);
  const { min, max } = command.operands;
  if (operands.length < min || operands.length > max) throw new UsageError(`usage: postern ${command.usage}`);
  const { json, async: isAsync, rule, protocol, client, kill, limit, factor, for: lasts, reason, kind } = values;
  const { account, network, outcome, once, domain, event, file } = values;
  const watched = { kind, account, network, outcome, once };
  const flags = {
    json,
    async: isAsync,
    rule,
    protocol,
    client,
    kill,
    limit,
    factor,
    for: lasts,
    reason,
    domain,
    event,
    file,
    ...watched,
  };
  const shown = await command.run({
    api: createApi(connectionOf(values, environment, findOwnSite)),
    operands,
    flags,
    progress,
    screen,
  });
  if (shown.isShown) return { exitCode: shown.exitCode ?? 0, output: [], errors: [] };
  const output = json ? [JSON.stringify(shown.json, null, 2)] : shown.lines;
  return { exitCode: shown.exitCode ?? 0, output, errors: [] };
}

/** Runs an operator command. Every failure becomes a sentence and an exit code. */
export async function runOperatorCommand(
  args: readonly string[],
  surroundings: OperatorSurroundings,
): Promise<CommandResult> {
  try {
    return await runCommand(args, surroundings);
  } catch (error) {
    return failure(error);
  }
}
