import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { poll } from "./poll.ts";

/** A stopped process is one whose threads are all in state T; where there is no /proc the signal must do. */
async function isStopped(pid: number): Promise<boolean> {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return true;
  const states = await Promise.all((await readdir(tasks)).map((task) => readFile(join(tasks, task, "stat"), "utf8")));
  return states.every((stat) => /\) T /.test(stat));
}

/** SIGSTOP, and waits until the process stands still: the signal alone lets it run on for a moment. */
export async function pause(server: { readonly pid: number; signal(name: NodeJS.Signals): void }): Promise<void> {
  server.signal("SIGSTOP");
  await poll(`process ${server.pid} to stand still`, () => isStopped(server.pid));
}
