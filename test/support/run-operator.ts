import { runOperatorCommand } from "../../cli/src/operator/run-operator.ts";

export interface CommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export const operatorCredentials = { POSTERN_USER: "backchannel", POSTERN_PASSWORD: "demo-backchannel-secret" };

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

/** Runs an operator's command of `postern` in this process, which takes a tenth of the time of a new one. */
export async function runOperator(
  url: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const errors: string[] = [];
  const environment = { POSTERN_URL: url, ...operatorCredentials, ...env };
  const ended = await runOperatorCommand(args, {
    environment,
    findOwnSite: () => undefined,
    progress: (line) => errors.push(line),
  });
  return { code: ended.exitCode, out: textOf(ended.output), err: textOf([...errors, ...ended.errors]) };
}
