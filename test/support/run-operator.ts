import { PassThrough } from "node:stream";
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

/** A command that goes on until it is stopped. */
export interface RunningCommand {
  /** What it has written to standard output. */
  readonly text: () => string;
  /** Its messages. */
  readonly messages: readonly string[];
  /** What a person types. */
  readonly type: (keys: string) => void;
  readonly ended: Promise<Omit<CommandResult, "out">>;
  /** Closes its standard output, as `head` does. */
  readonly stop: () => Promise<Omit<CommandResult, "out">>;
}

/** Starts an operator's command that goes on, at a terminal if a size is given. */
export function startOperator(
  url: string,
  args: readonly string[],
  size?: { readonly columns: number; readonly rows: number },
): RunningCommand {
  const messages: string[] = [];
  const chunks: string[] = [];
  const output = Object.assign(new PassThrough(), size && { isTTY: true, ...size });
  output.on("data", (chunk: Buffer) => chunks.push(chunk.toString()));
  output.on("error", () => undefined);
  const input = Object.assign(new PassThrough(), { isTTY: size !== undefined, setRawMode: () => undefined });
  const surroundings: OperatorSurroundings = {
    environment: { POSTERN_URL: url, ...operatorCredentials },
    findOwnSite: () => undefined,
    progress: (line) => messages.push(line),
    screen: { input, output },
  };
  const ended = runOperatorCommand(args, surroundings).then(({ exitCode, errors }) => ({
    code: exitCode,
    err: textOf([...messages, ...errors]),
  }));
  return {
    text: () => chunks.join(""),
    messages,
    type: (keys) => void input.write(keys),
    ended,
    stop: () => {
      output.destroy(new Error("closed"));
      return ended;
    },
  };
}

/** Runs it as on the machine of a site with this configuration, unless the arguments name another. */
export function runOnSite(configFile: string, args: readonly string[]): Promise<CommandResult> {
  return resultOf(args, { environment: {}, findOwnSite: (file = configFile) => findOwnSite(file, undefined) });
}
