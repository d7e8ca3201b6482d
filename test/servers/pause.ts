import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { poll } from "./poll.ts";

/** A process is stopped when all its threads are in state T; without /proc, the signal has to suffice. */
async function isStopped(pid: number): Promise<boolean> {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return true;
  const states = await Promise.all((await readdir(tasks)).map((task) => readFile(join(tasks, task, "stat"), "utf8")));
  return states.every((stat) => /\) T /.test(stat));
}

/** Sends SIGSTOP and waits until the process has stopped, because it keeps running for a moment after the signal. */
export async function pause(server: { readonly pid: number; signal(name: NodeJS.Signals): void }): Promise<void> {
  server.signal("SIGSTOP");
  await poll(`process ${server.pid} to stop`, () => isStopped(server.pid));
}
