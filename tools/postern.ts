import type { CommandResult } from "./cli/config-command.ts";
import { runDirectoryCommand } from "./cli/directory-test.ts";
import { run } from "./cli/run.ts";
import { runScriptCommand } from "./cli/script-test.ts";

const args = process.argv.slice(2);
const [topic, ...rest] = args;
const terminal = { input: process.stdin, output: process.stderr };

async function runTopic(): Promise<CommandResult> {
  if (topic === "script") return runScriptCommand(rest);
  if (topic === "directory") return runDirectoryCommand(rest, terminal);
  return run(args);
}

const { exitCode, output, errors } = await runTopic();
for (const line of errors) console.error(line);
for (const line of output) console.log(line);
process.exitCode = exitCode;
