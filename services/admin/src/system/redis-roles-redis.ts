import type { SystemReport } from "@postern/shared/contracts";
import { within } from "@postern/shared/platform/concurrency";
import type { RedisClient, RedisRole } from "@postern/shared/platform/redis";

type RoleState = SystemReport["redis"][number];

const timeoutMs = 1000;

/** Undefined for a server that does not report it, or whose access rules forbid `INFO`. */
function sizeIn(info: string, name: string): number | undefined {
  const text = new RegExp(String.raw`^${name}:(\d+)`, "mu").exec(info)?.[1];
  return text === undefined ? undefined : Number(text);
}

async function measure(client: RedisClient): Promise<Omit<RoleState, "role">> {
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

export function createRedisRoles(clients: Readonly<Record<RedisRole, RedisClient>>) {
  const roles = ["state", "queue", "cache"] as const;
  return (): Promise<RoleState[]> =>
    Promise.all(
      roles.map(async (role) => {
        const measured = within(measure(clients[role]), timeoutMs);
        return { role, ...(await measured.catch(() => ({ state: "down" as const }))) };
      }),
    );
}

export type ReadRedisRoles = ReturnType<typeof createRedisRoles>;
