import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { readFile, truncate } from "node:fs/promises";

export interface LoggedProcessOptions {
  readonly name: string;
  readonly args: readonly string[];
  readonly logFile: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the process gets a channel for messages. */
  readonly ipc?: boolean;
}

/**
 * A Node program whose output goes to a file, like a service's in production; reading it would cost the generator CPU.
 */
export interface LoggedProcess extends AsyncDisposable {
  readonly name: string;
  readonly pid: number;
  readonly child: ChildProcess;
  /** @throws Error with the end of its log if it has ended. */
  assertAlive(): void;
  /** The text of its log, which is then empty. */
  takeLog(): Promise<string>;
  /** Sends SIGTERM, then SIGKILL after 10 s. */
  stop(): Promise<void>;
}

const stopWithinMs = 10_000;
const shownLogCharacters = 2000;

export function startLoggedProcess(options: LoggedProcessOptions): LoggedProcess {
  const { name, args, logFile, env, ipc = false } = options;
  const log = openSync(logFile, "a");
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ipc ? ["ignore", log, log, "ipc"] : ["ignore", log, log],
  });
  closeSync(log);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${name} could not be started`);
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const stop = async (): Promise<void> => {
    if (hasEnded()) return;
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), stopWithinMs);
    await exited;
    clearTimeout(timer);
  };
  return {
    name,
    pid,
    child,
    assertAlive() {
      if (!hasEnded()) return;
      const end = readFileSync(logFile, "utf8").slice(-shownLogCharacters);
      throw new Error(`${name} ended unexpectedly (${child.signalCode ?? child.exitCode}):\n${end}`);
    },
    takeLog: async () => {
      const text = await readFile(logFile, "utf8");
      await truncate(logFile, 0);
      return text;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
