import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { runAtFixedRate } from "../generator/fixed-rate.ts";
import { type CpuUse, cpuDuring, type Role, roles } from "../measure/processes.ts";
import type { Row } from "../measure/row.ts";
import { saltedSha256, writeSqlBackend } from "../stack/backends.ts";
import { baseRevision, buildBaseRevision } from "../stack/base-revision.ts";
import { writeBodies } from "../stack/bodies.ts";
import { guarded, sqlBackends } from "../stack/config.ts";
import { type Postern, startPostern } from "../stack/postern.ts";
import { type Servers, startServers } from "../stack/servers.ts";
import { userPassword } from "../stack/users.ts";

const accounts = 6000;
const perSecond = 100;
const secondsOfRun = accounts / perSecond;
const fillPerSecond = 800;
/** What waits for a sign-in is done after it. */
const restSeconds = 60;
const idleSeconds = 15;

/** CPU time of a role, less what it uses while it is idle. */
function spent(used: CpuUse, idle: CpuUse): Record<Role | "total", number> {
  const share = (secondsOfRun + restSeconds) / idleSeconds;
  const cpuMicros: Record<Role | "total", number> = { gateway: 0, engine: 0, nats: 0, slapd: 0, redis: 0, total: 0 };
  for (const role of roles) {
    cpuMicros[role] = (used.micros[role] - idle.micros[role] * share) / accounts;
    cpuMicros.total += cpuMicros[role];
  }
  return cpuMicros;
}

async function measureOne(postern: Postern, bodiesFile: string, title: Pick<Row, "id" | "title">): Promise<Row> {
  const load = { url: postern.url, bodiesFile, connections: 16 };
  await runAtFixedRate({ ...load, perSecond: fillPerSecond }, accounts / fillPerSecond);
  let report = await runAtFixedRate({ ...load, perSecond: fillPerSecond }, accounts / fillPerSecond);
  const [, used] = await cpuDuring(postern.processes, async () => {
    report = await runAtFixedRate({ ...load, perSecond }, secondsOfRun);
    await delay(restSeconds * 1000);
  });
  const [, idle] = await cpuDuring(postern.processes, () => delay(idleSeconds * 1000));
  const { requests, seconds, p50Ms, p99Ms, socketErrors } = report;
  if (socketErrors > 0 || requests < accounts) throw new Error(`${requests} of ${accounts} sign-ins were answered`);
  return {
    ...title,
    connections: load.connections,
    requestsPerSecond: requests / seconds,
    p50Ms,
    p99Ms,
    cpuMicros: spent(used, idle),
    otherCores: used.otherCores,
  };
}

/**
 * What sites pay for mail programs: each of 6,000 accounts signs in once a minute, from the cache, at this tree and at an earlier revision at the
 * same time. The CPU time includes what happens afterwards, and not what the services use anyway.
 */
export async function measureRhythm(servers: Servers): Promise<readonly Row[]> {
  const file = join(servers.folder, "rhythm.sqlite");
  await writeSqlBackend(file, accounts, saltedSha256());
  const bodies = { password: userPassword, users: accounts, lines: accounts };
  const bodiesFile = await writeBodies(servers.folder, "rhythm", bodies);
  const options = { backends: sqlBackends(file), protection: guarded("10m") };
  await using own = await startPostern({ ...options, servers });
  const tree = await buildBaseRevision();
  // Servers of their own: nothing tells apart who caused the CPU time of Redis and NATS.
  await using others = await startServers();
  await using base = tree === undefined ? undefined : await startPostern({ ...options, servers: others, tree });
  const title = "6,000 accounts, each once a minute";
  return await Promise.all([
    measureOne(own, bodiesFile, { id: "own-rhythm", title: `${title}, this tree` }),
    ...(base === undefined
      ? []
      : [measureOne(base, bodiesFile, { id: "base-rhythm", title: `${title}, revision ${baseRevision}` })]),
  ]);
}
