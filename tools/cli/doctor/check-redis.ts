import { redisFromConfig } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/platform/config";
import type { RedisClient, RedisRole } from "@postern/shared/platform/redis";
import { type Check, type Finding, findingsOf } from "./finding.ts";
import { createLogMemory } from "./log-memory.ts";

/** Half of the bound for which sessions and tokens tolerate differing clocks. */
const toleratedMs = 2000;

async function ready(client: RedisClient, timeoutMs: number): Promise<boolean> {
  if (client.status === "ready") return true;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), timeoutMs);
  client.once("ready", () => resolve(true));
  client.once("error", () => undefined);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

/** By how much this machine's clock is ahead of the server's; half of the round trip is attributed to each way. */
async function clockDifference(client: RedisClient): Promise<number> {
  const before = Date.now();
  const [seconds, micros] = await client.time();
  const after = Date.now();
  return (before + after) / 2 - (Number(seconds) * 1000 + Number(micros) / 1000);
}

const losable = { state: "such as bans, sessions and keys", queue: "such as jobs and notifications" } as const;

function policyIn(info: string): string | undefined {
  return /^maxmemory_policy:(\S+)/mu.exec(info)?.[1];
}

async function ask(client: RedisClient, role: RedisRole, subject: string): Promise<readonly Finding[]> {
  const { problem, warning } = findingsOf(subject);
  const findings: Finding[] = [];
  const difference = await clockDifference(client);
  if (Math.abs(difference) > toleratedMs) {
    const words = `this machine's clock is ${(Math.abs(difference) / 1000).toFixed(1)} s ${difference > 0 ? "ahead of" : "behind"} the server's`;
    findings.push(problem(words, "synchronise both clocks, for example with chrony"));
  }
  const policy = policyIn(await client.info("memory").catch(() => ""));
  if (role !== "cache" && policy !== undefined && policy !== "noeviction") {
    const found = `its eviction policy is ${policy}, so sessions, bans or jobs can disappear`;
    findings.push(warning(found, "set maxmemory-policy noeviction on this server"));
  }
  const persistence = await client.info("persistence").catch(() => "");
  if (role !== "cache" && /^aof_enabled:0/mu.test(persistence)) {
    const found = `its append-only file is off: a crash loses what was written since the last snapshot, ${losable[role]}`;
    findings.push(warning(found, "on this server: redis-cli config set appendonly yes, then redis-cli config rewrite"));
  }
  return findings;
}

async function checkRole(config: Config, role: RedisRole, timeoutMs: number): Promise<readonly Finding[]> {
  const subject = `redis ${role}`;
  const { problem } = findingsOf(subject);
  const memory = createLogMemory();
  const keys = `storage.redis.primary or storage.redis.roles.${role}`;
  const client = redisFromConfig(config, role, { service: "doctor", logger: memory.logger });
  try {
    if (!(await ready(client, timeoutMs)))
      return [problem(`not reachable: ${memory.latest() ?? "no answer"}`, `start Redis, or correct ${keys}`)];
    return await ask(client, role, subject);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [problem(`does not answer: ${reason}`, `check the server's log and its access rules, or correct ${keys}`)];
  } finally {
    client.disconnect();
  }
}

/** Reachability, clock, eviction policy and persistence of each role. */
export function redisChecks(config: Config, timeoutMs: number): readonly Check[] {
  return (["state", "queue", "cache"] as const).map((role) => ({
    subject: `redis ${role}`,
    run: () => checkRole(config, role, timeoutMs),
  }));
}
