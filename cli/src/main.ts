import { run } from "./run.ts";

const { exitCode, output, errors } = await run(process.argv.slice(2));
for (const line of errors) console.error(line);
for (const line of output) console.log(line);
process.exitCode = exitCode;
