import { within } from "@postern/shared/platform/concurrency";
import type { RedisClient, RedisRole } from "@postern/shared/platform/redis";

/** A role of Redis; without the optional members its server does not answer. */
export interface RedisRoleState {
  readonly role: string;
  readonly state: "up" | "down";
  readonly latency_ms?: number;
  readonly used_bytes?: number;
  readonly max_bytes?: number;
}

export type ReadRedisRoles = () => Promise<readonly RedisRoleState[]>;

const timeoutMs = 1000;

/** Undefined for a server that does not report it, or whose access rules forbid `INFO`. */
function sizeIn(info: string, name: string): number | undefined {
  const text = new RegExp(String.raw`^${name}:(\d+)`, "mu").exec(info)?.[1];
  return text === undefined ? undefined : Number(text);
}

async function measure(client: RedisClient): Promise<Omit<RedisRoleState, "role">> {
  const startedMs = performance.now();
  await client.ping();
  const latency = Math.round((performance.now() - startedMs) * 100) / 100;
  const info = await client.info("memory").catch(() => "");
  const used = sizeIn(info, "used_memory");
  const max = sizeIn(info, "maxmemory");
  return {
    state: "up",
    latency_ms: latency,
    ...(used !== undefined && { used_bytes: used }),
    ...(max !== undefined && { max_bytes: max }),
  };
}

export function createRedisRoles(clients: Readonly<Record<RedisRole, RedisClient>>): ReadRedisRoles {
  const roles = ["state", "queue", "cache"] as const;
  return () =>
    Promise.all(
      roles.map(async (role): Promise<RedisRoleState> => {
        const measured = within(measure(clients[role]), timeoutMs);
        return { role, ...(await measured.catch(() => ({ state: "down" as const }))) };
      }),
    );
}
