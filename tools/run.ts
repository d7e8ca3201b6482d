// Runs the whole demo on loopback until Ctrl-C. Usage: tools/run.ts [--engines N] [--shape five|one]
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execute } from "./checks/execute.ts";
import { services } from "./package/services.ts";
import { addressOf, banner } from "./run/banner.ts";
import { isAlive } from "./run/identity.ts";
import { parseRunOptions, type RunOptions } from "./run/options.ts";
import { takenPorts } from "./run/ports.ts";
import { natsConfiguration, servicePrograms, stores } from "./run/programs.ts";
import { Stack } from "./run/stack.ts";
import { aliveProcesses, claim, readState, removeState, type State } from "./run/state.ts";
import { stopProcesses } from "./run/stop-processes.ts";
import { watchTerminal } from "./run/watch-terminal.ts";

const storesWithinMs = 20_000;
const buildWithinMs = 120_000;

function say(line: string): void {
  console.log(line);
}

/** Returns true if another runner is active; stops a stack whose runner has died. */
async function runsAlready({ folder }: RunOptions): Promise<boolean> {
  const state = readState(folder);
  if (state !== undefined && isAlive(state.runner)) {
    say(`Postern is already running at ${state.address} (pid ${state.runner.pid}, logs in ${folder}/logs).`);
    say("Stop it with Ctrl-C in its terminal or with `make stop`.");
    return true;
  }
  const left = state === undefined ? [] : aliveProcesses(state);
  if (left.length > 0) say("Stopping the processes of an earlier run ...");
  await stopProcesses(left);
  removeState(folder);
  return false;
}

async function build({ isOneProcess }: RunOptions): Promise<void> {
  say("Building ...");
  const program = isOneProcess ? ["cli"] : services;
  const { code, output } = await execute(process.execPath, ["tools/bundle.ts", ...program], buildWithinMs);
  if (code !== 0) throw new Error(`the build failed:\n${output}`);
}

function prepareFolder(options: RunOptions): void {
  rmSync(join(options.folder, "logs"), { recursive: true, force: true });
  for (const name of ["logs", "redis"]) mkdirSync(join(options.folder, name), { recursive: true });
  writeFileSync(join(options.folder, "nats.conf"), natsConfiguration(options));
}

/** Starts everything, then waits until `interrupted` resolves. */
async function serve(options: RunOptions, claimed: State): Promise<void> {
  const started = performance.now();
  const [first, then] = [stores(options), servicePrograms(options)];
  const taken = await takenPorts([...first, ...then]);
  if (taken.length > 0) {
    const list = taken.map(({ port, name }) => `127.0.0.1:${port} (${name})`).join(", ");
    throw new Error(`these ports are in use by another program: ${list}. Stop it, then try again.`);
  }
  prepareFolder(options);
  const stack = new Stack({ folder: options.folder, claimed, say });
  const interrupted = new AbortController();
  const stopped = Promise.withResolvers<void>();
  interrupted.signal.addEventListener("abort", () => stopped.resolve());
  const interrupt = (): void => {
    if (interrupted.signal.aborted) void stack.stop();
    else interrupted.abort();
  };
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, interrupt);
  watchTerminal(() => interrupted.abort());
  try {
    say("Starting ...");
    await stack.start(first, storesWithinMs, interrupted.signal);
    await stack.start(then, options.readyWithinMs, interrupted.signal);
    stack.keepAlive();
    say(banner(options, then, performance.now() - started));
    await stopped.promise;
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
  } finally {
    say("\nStopping ...");
    await stack.stop();
  }
}

async function main(): Promise<void> {
  process.chdir(join(import.meta.dirname, ".."));
  // A closed terminal must not end the runner before it has stopped the other processes.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  const options = parseRunOptions(process.argv.slice(2));
  if (await runsAlready(options)) return;
  if (options.build) await build(options);
  const claimed = claim(options.folder, addressOf(options));
  if (claimed === undefined) return void (await runsAlready(options));
  try {
    await serve(options, claimed);
  } finally {
    removeState(options.folder);
  }
}

try {
  await main();
} catch (error) {
  console.error(`run: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
