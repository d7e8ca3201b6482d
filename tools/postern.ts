import { runDirectoryCommand } from "./cli/directory-test.ts";
import { isOperatorCommand, runOperatorCommand } from "./cli/operator/run-operator.ts";
import { run } from "./cli/run.ts";
import { runScriptCommand } from "./cli/script-test.ts";

const args = process.argv.slice(2);
const [topic, ...rest] = args;
const terminal = { input: process.stdin, output: process.stderr };

async function runTopic() {
  if (topic === "script") return runScriptCommand(rest);
  if (topic === "directory") return runDirectoryCommand(rest, terminal);
  if (!isOperatorCommand(args)) return run(args);
  return runOperatorCommand(args, { environment: process.env, progress: (line) => console.error(line) });
}

const { exitCode, output, errors } = await runTopic();
for (const line of errors) console.error(line);
for (const line of output) console.log(line);
process.exitCode = exitCode;
