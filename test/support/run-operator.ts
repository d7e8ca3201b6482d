import { findOwnSite } from "../../cli/src/operator/own-site.ts";
import { type OperatorSurroundings, runOperatorCommand } from "../../cli/src/operator/run-operator.ts";

export interface CommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export const operatorCredentials = { POSTERN_USER: "backchannel", POSTERN_PASSWORD: "demo-backchannel-secret" };

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

async function resultOf(
  args: readonly string[],
  surroundings: Omit<OperatorSurroundings, "progress">,
): Promise<CommandResult> {
  const errors: string[] = [];
  const ended = await runOperatorCommand(args, { ...surroundings, progress: (line) => errors.push(line) });
  return { code: ended.exitCode, out: textOf(ended.output), err: textOf([...errors, ...ended.errors]) };
}

/** Runs an operator's command of `postern` in this process, which takes a tenth of the time of a new one. */
export function runOperator(
  url: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const environment = { POSTERN_URL: url, ...operatorCredentials, ...env };
  return resultOf(args, { environment, findOwnSite: () => undefined });
}

/** Runs it as on the machine of a site with this configuration, unless the arguments name another. */
export function runOnSite(configFile: string, args: readonly string[]): Promise<CommandResult> {
  return resultOf(args, { environment: {}, findOwnSite: (file = configFile) => findOwnSite(file, undefined) });
}
