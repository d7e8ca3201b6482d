// Runs a long program and shows its steps with the time that the last run took. Usage: tools/with-progress.ts NAME STEPS PROGRAM ARGUMENT…
// The program names each step in a line to descriptor 3; what it prints follows at the end.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execute } from "./checks/execute.ts";
import { createProgress, duration } from "./checks/progress.ts";
import { stepsVariable } from "./checks/step.ts";

const folder = join(import.meta.dirname, "../.run");
/** What the last successful run of each program took, in milliseconds. */
const timesFile = join(folder, "task-times.json");
/** Only ends what would never end. */
const timeoutMs = 7_200_000;

function lastRuns(): Readonly<Record<string, number>> {
  try {
    return JSON.parse(readFileSync(timesFile, "utf8"));
  } catch {
    return {};
  }
}

const [name = "", steps = "", program = "", ...args] = process.argv.slice(2);
const times = lastRuns();
const progress = createProgress(Number(steps), times[name], "steps");
process.env[stepsVariable] = "3";
let step = "";
const { code, output } = await execute(program, args, timeoutMs, (line) => {
  if (step !== "") progress.ended(step);
  step = line;
  progress.running(line);
});
progress.stop();
progress.print(output);
if (code === 0) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(timesFile, JSON.stringify({ ...times, [name]: Math.round(progress.elapsed()) }));
  console.log(`${name}: done after ${duration(progress.elapsed())}`);
}
process.exitCode = code;
