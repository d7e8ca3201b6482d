import { readFileSync, rmSync } from "node:fs";

/** Pids of the processes that this one has started and that are still there. */
function children(): readonly number[] {
  const list = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8");
  return list.split(" ").filter(Boolean).map(Number);
}

/** A run that is told to stop leaves no process behind and nothing in its throw-away folder. */
export function stopOnSignals(folder: string): void {
  const stop = (): void => {
    for (const pid of children()) process.kill(pid, "SIGTERM");
    rmSync(folder, { recursive: true, force: true });
    process.exit(130);
  };
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(name, stop);
}
