import { readFileSync, rmSync } from "node:fs";

/** PIDs of live processes that this process has started. */
function children(): readonly number[] {
  const list = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8");
  return list.split(" ").filter(Boolean).map(Number);
}

/** An interrupted run leaves no processes behind and removes its temporary folder. */
export function stopOnSignals(folder: string): void {
  const stop = (): void => {
    for (const pid of children()) process.kill(pid, "SIGTERM");
    rmSync(folder, { recursive: true, force: true });
    process.exit(130);
  };
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(name, stop);
}
