import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { type Identity, identityOf } from "./identity.ts";
import { logPath } from "./log-file.ts";
import type { Program } from "./programs.ts";

/** System servers may be in folders that only root's PATH contains. */
const systemFolders = ":/usr/local/sbin:/usr/sbin:/sbin";

function spawnWithLog(folder: string, { name, command, args, env }: Program): ChildProcess {
  const log = openSync(logPath(folder, name), "a");
  try {
    return spawn(command, args, {
      // A separate session, so that Ctrl-C reaches only the runner, which then stops its programs in order.
      detached: true,
      env: { ...process.env, PATH: `${process.env["PATH"] ?? ""}${systemFolders}`, ...env },
      stdio: ["ignore", log, log],
    });
  } finally {
    closeSync(log);
  }
}

/**
 * Starts a program whose output goes to its log; `onEnd` is called once, with a text that follows the program's name.
 */
export function spawnProgram(folder: string, program: Program, onEnd: (what: string) => void): Identity | undefined {
  const child = spawnWithLog(folder, program);
  child.once("error", (error) => onEnd(`could not be started: ${error.message}`));
  child.once("exit", (code, signal) =>
    onEnd(signal === null ? `ended with code ${code}` : `was terminated by ${signal}`),
  );
  return child.pid === undefined ? undefined : identityOf(child.pid);
}
