// Ends a demo that is running or was left behind; only processes that `make run` started. Usage: tools/stop.ts [--folder DIR]
import { isAlive, signal } from "./run/identity.ts";
import { parseRunOptions } from "./run/options.ts";
import { aliveProcesses, readState, removeState } from "./run/state.ts";
import { stopProcesses, waitForEnd } from "./run/stop-processes.ts";

/** Three stages of the runner, each with time to end and time to be killed. */
const runnerWithinMs = 50_000;

const { folder } = parseRunOptions(process.argv.slice(2));
const state = readState(folder);
const left = state === undefined ? [] : aliveProcesses(state);

if (state === undefined || (left.length === 0 && !isAlive(state.runner))) {
  removeState(folder);
  console.log("Nothing to stop.");
} else {
  console.log(`Stopping Postern at ${state.address} ...`);
  signal(state.runner, "SIGTERM");
  await waitForEnd([state.runner], runnerWithinMs);
  const after = readState(folder) ?? state;
  for (const name of await stopProcesses(aliveProcesses(after))) console.log(`${name} was killed`);
  if (aliveProcesses(after).length === 0) {
    removeState(folder);
    console.log("Stopped.");
  } else {
    console.error("stop: some processes are still running");
    process.exitCode = 1;
  }
}
