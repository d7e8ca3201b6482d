import { readdirSync, readFileSync } from "node:fs";
import { parseBusySeconds, parseEndedChildrenSeconds, parseResidentMib, parseSchedstat } from "./proc-text.ts";

/** Role of a process in a row: the gateway, the service that decides, or a server of the system's packages. */
export const roles = ["gateway", "engine", "nats", "slapd", "redis"] as const;
export type Role = (typeof roles)[number];

export interface Measured {
  readonly role: Role;
  readonly pid: number;
}

/** CPU time of all live threads in µs. Our own and the servers' threads live as long as their process. */
export function processMicros(pid: number): number {
  let sumNs = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    sumNs += parseSchedstat(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8"));
  }
  return sumNs / 1000;
}

export function residentMib(pid: number): number {
  return parseResidentMib(readFileSync(`/proc/${pid}/status`, "utf8"));
}

/** CPU times at one moment. */
interface CpuSnapshot {
  readonly atMs: number;
  readonly micros: readonly number[];
  readonly machineSeconds: number;
  readonly ownSeconds: number;
}

function snapshot(processes: readonly Measured[]): CpuSnapshot {
  const { user, system } = process.cpuUsage();
  return {
    atMs: performance.now(),
    micros: processes.map(({ pid }) => processMicros(pid)),
    machineSeconds: parseBusySeconds(readFileSync("/proc/stat", "utf8")),
    ownSeconds: (user + system) / 1e6 + parseEndedChildrenSeconds(readFileSync("/proc/self/stat", "utf8")),
  };
}

export interface CpuUse {
  readonly micros: Readonly<Record<Role, number>>;
  /** Cores used by other processes of the machine in the same time: neither measured ones nor the generator. */
  readonly otherCores: number;
}

/** CPU time that each role used while `work` ran. */
export async function cpuDuring<T>(processes: readonly Measured[], work: () => Promise<T>): Promise<[T, CpuUse]> {
  const before = snapshot(processes);
  const result = await work();
  const after = snapshot(processes);
  const micros: Record<Role, number> = { gateway: 0, engine: 0, nats: 0, slapd: 0, redis: 0 };
  let sum = 0;
  for (const [index, { role }] of processes.entries()) {
    const used = (after.micros[index] ?? 0) - (before.micros[index] ?? 0);
    micros[role] += used;
    sum += used;
  }
  const seconds = (after.atMs - before.atMs) / 1000;
  const other = after.machineSeconds - before.machineSeconds - (after.ownSeconds - before.ownSeconds) - sum / 1e6;
  return [result, { micros, otherCores: Math.max(0, other / seconds) }];
}
