import { readFileSync } from "node:fs";

/** Identifies a process, so that a later one with the same PID is not mistaken for it. */
export interface Identity {
  readonly pid: number;
  /** Ticks since boot, field 22 of /proc/<pid>/stat. */
  readonly startTime: string;
  readonly bootId: string;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}

/** Undefined if there is no such process, or only its zombie. */
export function identityOf(pid: number): Identity | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  // The second field is the program's name in parentheses and may contain anything, including parentheses.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, startTime] = [fields?.[0], fields?.[19]];
  if (state === undefined || startTime === undefined || state === "Z" || state === "X") return undefined;
  return { pid, startTime, bootId: readText("/proc/sys/kernel/random/boot_id") ?? "" };
}

export function isAlive(identity: Identity): boolean {
  const now = identityOf(identity.pid);
  return now !== undefined && now.startTime === identity.startTime && now.bootId === identity.bootId;
}

/** Signals the process, or with SIGKILL its whole group, if it is still the same one. */
export function signal(identity: Identity, name: "SIGTERM" | "SIGKILL"): void {
  if (!isAlive(identity)) return;
  try {
    process.kill(name === "SIGKILL" ? -identity.pid : identity.pid, name);
  } catch {
    // It has ended in the meantime.
  }
}
