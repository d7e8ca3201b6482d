import { setTimeout as delay } from "node:timers/promises";
import { spawnRedis } from "@postern/testing";
import { type Times, timeEach } from "../measure/times.ts";
import { bannedAddress, writeBans } from "../stack/bans.ts";
import { type Management, startManagement } from "../stack/management.ts";
import type { Servers } from "../stack/servers.ts";

const samples = 1000;
const filterSize = 10;
const listPath = "/api/v1/bruteforce/list";
const flushPath = "/api/v1/bruteforce/flush";
const jobWithinMs = 10_000;

/** Bans are of the second rule, so that listing each of them also queries the first. */
const ruleNames = ["first", "second"] as const;
const buckets = ruleNames.map((name) => {
  return { name, period: "10m", ban_time: "1h", cidr: 32, failed_requests: 1000, ipv4: true };
});
const protection = { controls: { enabled: ["brute_force"], brute_force: { buckets } }, localCacheTtl: "0s" };

/** Keys are built from this form of the rules. */
const parts = {
  rules: ruleNames.map((name) => ({
    name,
    periodMs: 600_000,
    banMs: 3_600_000,
    failedRequests: 1000,
    cidr: 32,
    ipv4: true,
    ipv6: false,
    protocols: [],
    oidcClientIds: [],
  })),
  clientCidr6: 64,
  tolerateMs: 0,
  keyPrefix: "postern:",
};

function bansIn(result: unknown): number {
  const first: unknown = Array.isArray(result) ? result[0] : undefined;
  const networks: unknown = Object(first).ip_addresses;
  return Object.keys(Object(networks)).length;
}

/** Reads page after page, and starts again after the last. */
function pages({ ask }: Management, limit: number): () => Promise<void> {
  let cursor: unknown;
  return async () => {
    const place = typeof cursor === "string" ? `&cursor=${cursor}` : "";
    const { result, next } = await ask({ method: "POST", path: `${listPath}?limit=${limit}${place}`, body: {} });
    if (next !== undefined && bansIn(result) !== limit) throw new Error(`a page of ${bansIn(result)} bans`);
    cursor = next;
  };
}

function filtered({ ask }: Management, bans: number): (iteration: number) => Promise<void> {
  return async (iteration) => {
    const addresses = Array.from(
      { length: filterSize },
      (_, index) => (bans - 1 - iteration * filterSize - index) % bans,
    );
    const body = { ip_addresses: addresses.map(bannedAddress) };
    const { result } = await ask({ method: "POST", path: listPath, body });
    if (bansIn(result) !== filterSize) throw new Error(`${bansIn(result)} of ${filterSize} bans were found`);
  };
}

function flushes({ ask }: Management): (iteration: number) => Promise<void> {
  return async (iteration) => {
    const body = { ip_address: bannedAddress(iteration), rule_name: "*" };
    const { result } = await ask({ method: "DELETE", path: flushPath, body });
    const removed: unknown = Object(result).removed_keys;
    if (!Array.isArray(removed) || removed.length !== 1) throw new Error("the flush did not remove exactly one ban");
  };
}

/** The path of a job that has ended. */
async function endedJob({ ask }: Management, address: string): Promise<string> {
  const body = { ip_address: address, rule_name: "*" };
  const { result } = await ask({ method: "DELETE", path: `${flushPath}/async`, body }, 202);
  const path = `/api/v1/async/jobs/${String(Object(result).jobId)}`;
  const deadline = performance.now() + jobWithinMs;
  while (Object((await ask({ method: "GET", path }))["result"]).status !== "DONE") {
    if (performance.now() > deadline) throw new Error("the job did not end");
    await delay(20);
  }
  return path;
}

/** Operators' requests while many networks are banned; in a separate Redis that is stopped afterwards. */
export async function measureMillionBans(servers: Servers, bans = 1_000_000): Promise<readonly Times[]> {
  await using redis = await spawnRedis();
  await writeBans(redis.port, bans, parts);
  await using management = await startManagement({ ...servers, redisPort: redis.port }, protection);
  const job = await endedJob(management, bannedAddress(bans - 1));
  const status = async (): Promise<void> => void (await management.ask({ method: "GET", path: job }));
  return [
    await timeEach("list of bans, pages of 100", samples, pages(management, 100)),
    await timeEach("list of bans, pages of 1000", samples / 2, pages(management, 1000)),
    await timeEach("list of bans, ten addresses", samples, filtered(management, bans - 1)),
    await timeEach("flush of a banned address", samples, flushes(management)),
    await timeEach("status of a job", samples, status),
  ];
}
