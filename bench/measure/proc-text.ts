/** Nanoseconds of CPU, from `/proc/PID/task/TID/schedstat`: run time, waiting time, time slices. */
export function parseSchedstat(text: string): number {
  const runNs = Number(/^(\d+) \d+ \d+\s*$/.exec(text)?.[1]);
  if (!Number.isFinite(runNs)) throw new Error(`not a schedstat: ${text}`);
  return runNs;
}

/** Resident memory in MiB, from `/proc/PID/status`. */
export function parseResidentMib(text: string): number {
  const kib = Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1]);
  if (!Number.isFinite(kib)) throw new Error("no VmRSS in the process status");
  return kib / 1024;
}

const secondsPerTick = 0.01;

/** CPU seconds of all cores since boot, from `/proc/stat`. */
export function parseBusySeconds(text: string): number {
  const fields = /^cpu +(.+)$/m.exec(text)?.[1]?.split(" ").map(Number) ?? [];
  const [user, nice, system, , , irq, softirq] = fields;
  if (user === undefined || nice === undefined || system === undefined || irq === undefined || softirq === undefined) {
    throw new Error("no line for all cores in /proc/stat");
  }
  return (user + nice + system + irq + softirq) * secondsPerTick;
}

/** CPU seconds of children that have ended and were waited for, from `/proc/PID/stat`. */
export function parseEndedChildrenSeconds(text: string): number {
  // The second field is the command in parentheses and may contain anything.
  const afterCommand = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [user, system] = [Number(afterCommand[13]), Number(afterCommand[14])];
  if (!Number.isFinite(user + system)) throw new Error(`not a process stat: ${text}`);
  return (user + system) * secondsPerTick;
}
