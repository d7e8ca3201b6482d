import { isOperatorCommand, runOperatorCommand } from "./cli/operator/run-operator.ts";
import { run } from "./cli/run.ts";
import { runScriptCommand } from "./cli/script-test.ts";

function runAny(args: readonly string[]) {
  if (args[0] === "script") return runScriptCommand(args.slice(1));
  if (!isOperatorCommand(args)) return run(args);
  return runOperatorCommand(args, { environment: process.env, progress: (line) => console.error(line) });
}

const { exitCode, output, errors } = await runAny(process.argv.slice(2));
for (const line of errors) console.error(line);
for (const line of output) console.log(line);
process.exitCode = exitCode;
