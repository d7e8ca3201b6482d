import { redisFromConfig } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/platform/config";
import {
  missingCommands,
  probeKey,
  type RedisClient,
  type RedisRole,
  redisCommands,
  usefulRedisCommands,
} from "@postern/shared/platform/redis";
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

/** The time by which this machine's clock is ahead of the server's; half of the round trip is attributed to each way. */
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

/** Sites have one user for all services or one for each; this is the user of the configuration that is checked. */
async function rightsFindings(client: RedisClient, role: RedisRole, prefix: string): Promise<readonly Finding[]> {
  const { problem, warning } = findingsOf(`redis ${role}`);
  const key = probeKey.build(prefix, "doctor", role);
  const needed = new Set(Object.values(redisCommands).flat());
  const missing = await missingCommands(client, [...needed], key);
  const advice = "permit them, see docs/operate/redis.md";
  if (missing.length > 0) return [problem(`its user has no right to run ${missing.join(", ")}`, advice)];
  const useful = await missingCommands(client, usefulRedisCommands, key);
  return useful.length === 0 ? [] : [warning(`its user has no right to run ${useful.join(", ")}`, advice)];
}

/** A primary that has lost its replicas must stop accepting writes, because one of them may have replaced it. */
function replicationFindings(info: string, subject: string): readonly Finding[] {
  const replicas = Number(/^connected_slaves:(\d+)/mu.exec(info)?.[1] ?? 0);
  if (replicas === 0 || /^min_slaves_good_slaves:/mu.test(info)) return [];
  const found = "it has replicas, and accepts writes without them: after a failover, codes can be redeemed twice";
  return [
    findingsOf(subject).warning(found, "set min-replicas-to-write 1 and min-replicas-max-lag 10 on all its servers"),
  ];
}

async function ask(client: RedisClient, role: RedisRole, prefix: string): Promise<readonly Finding[]> {
  const subject = `redis ${role}`;
  const { problem, warning } = findingsOf(subject);
  const findings: Finding[] = [...(await rightsFindings(client, role, prefix))];
  const difference = await clockDifference(client);
  if (Math.abs(difference) > toleratedMs) {
    const words = `this machine's clock is ${(Math.abs(difference) / 1000).toFixed(1)} s ${difference > 0 ? "ahead of" : "behind"} the server's`;
    findings.push(problem(words, "synchronise both clocks, for example with chrony"));
  }
  findings.push(...replicationFindings(await client.info("replication").catch(() => ""), subject));
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
    return await ask(client, role, config.storage.redis.prefix);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [problem(`does not answer: ${reason}`, `check the server's log and its access rules, or correct ${keys}`)];
  } finally {
    client.disconnect();
  }
}

/** Reachability, rights, replication, persistence, clock and eviction policy of each role. */
export function redisChecks(config: Config, timeoutMs: number): readonly Check[] {
  return (["state", "queue", "cache"] as const).map((role) => ({
    subject: `redis ${role}`,
    run: () => checkRole(config, role, timeoutMs),
  }));
}
