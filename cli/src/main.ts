import { run } from "./run.ts";

/**
 * A rehearsal reads millions of lines, for whose short-lived objects the runtime would keep 50 MB. Only the start of a process limits them, so
 * this one starts again in its own place.
 */
const small = "--max-semi-space-size=2";
const args = process.argv.slice(2);

if (args[0] === "rehearse" && !process.execArgv.includes(small) && process.execve !== undefined)
  process.execve(process.execPath, [process.execPath, small, ...process.execArgv, ...process.argv.slice(1)]);

const { exitCode, output, errors } = await run(args);
for (const line of errors) console.error(line);
for (const line of output) console.log(line);
process.exitCode = exitCode;
