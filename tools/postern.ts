import { run } from "./cli/run.ts";
import { runScriptCommand } from "./cli/script-test.ts";

const args = process.argv.slice(2);
const { exitCode, output, errors } = args[0] === "script" ? await runScriptCommand(args.slice(1)) : run(args);
for (const line of errors) console.error(line);
for (const line of output) console.log(line);
process.exitCode = exitCode;
