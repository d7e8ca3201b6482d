import { readFileSync } from "node:fs";

/** PIDs of the processes that these have started, and of theirs. */
export function descendants(pid: number): readonly number[] {
  const own = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  return own.flatMap((child) => [child, ...descendants(child)]);
}
