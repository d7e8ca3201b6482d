import { version } from "@postern/shared/platform/lifecycle";
import { type CommandResult, isWrongArgument, type Surroundings, unknownWord } from "./command.ts";
import { commands, overview } from "./commands.ts";

const thisProcess: Surroundings = {
  environment: process.env,
  terminal: { input: process.stdin, output: process.stderr },
  progress: (line) => console.error(line),
};

const printed = (output: readonly string[]): CommandResult => ({ exitCode: 0, output, errors: [] });
const misused = (errors: readonly string[]): CommandResult => ({ exitCode: 2, output: [], errors });

async function runNamed(name: string, args: readonly string[], surroundings: Surroundings): Promise<CommandResult> {
  const command = commands.find((one) => one.name === name);
  const names = commands.map((one) => one.name);
  if (command === undefined) return unknownWord(name, names);
  try {
    return await command.run(args, surroundings);
  } catch (error) {
    if (!isWrongArgument(error)) throw error;
    return misused([error.message, "run postern --help for the list of commands"]);
  }
}

const help = new Set(["help", "--help", "-h"]);

/** Runs `postern` with the given arguments. */
export async function run(
  [name, ...args]: readonly string[],
  surroundings: Surroundings = thisProcess,
): Promise<CommandResult> {
  if (name === undefined) return misused(overview());
  if (name === "--version" || name === "version") return printed([`postern ${version}`]);
  if (!help.has(name)) return runNamed(name, args, surroundings);
  const [topic] = args;
  return topic === undefined ? printed(overview()) : runNamed(topic, ["--help"], surroundings);
}
