import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { runAtFixedRate } from "../generator/fixed-rate.ts";
import { runWrk } from "../generator/wrk.ts";
import { figureOf } from "../measure/added.ts";
import { residentMib } from "../measure/processes.ts";
import { firstWarmSeconds, measureInTurn, type Row, type RowPlan, rounds } from "../measure/row.ts";
import { saltedSha256, writeSqlBackend } from "../stack/backends.ts";
import { baseRevision, buildBaseRevision } from "../stack/base-revision.ts";
import { writeBodies } from "../stack/bodies.ts";
import { guarded, ldapBackends, sqlBackends } from "../stack/config.ts";
import { startOneProcess } from "../stack/one-process.ts";
import { type Postern, startPostern } from "../stack/postern.ts";
import type { Servers } from "../stack/servers.ts";
import { ldapUserCount, sqlUserCount, userPassword } from "../stack/users.ts";
import { decisionPlan } from "./decision-row.ts";
import type { Start } from "./starts.ts";

const connections = 64;
const windowSeconds = 2;
const idleAfterMs = 1000;
const cachedCounter = 'service_result_cache_reads_total{level="memory",outcome="hit"}';

interface Kind {
  readonly name: "cached" | "cached-1" | "cached-1000" | "ldap-400";
  readonly title: string;
  readonly perSecond?: number;
  readonly connections?: number;
}

const kinds: readonly Kind[] = [
  { name: "cached", title: "cached success" },
  { name: "cached-1", title: "cached success", connections: 1 },
  { name: "cached-1000", title: "cached success, 1,000/s", perSecond: 1000 },
  { name: "ldap-400", title: "uncached success, LDAP, 400/s", perSecond: 400 },
];

const shapes = {
  apart: "gateway and engine apart",
  one: "one process",
  before: `gateway and engine of revision ${baseRevision}`,
} as const;
type Shape = keyof typeof shapes;

function planOf(postern: Postern, shape: Shape, kind: Kind, bodiesFile: string): RowPlan {
  const plan = decisionPlan(postern, {
    id: `${shape}-${kind.name}`,
    title: `${kind.title}, ${shapes[shape]}`,
    connections: kind.connections ?? connections,
    windowSeconds,
    bodiesFile,
    outcome: "ok",
    ...(kind.name !== "ldap-400" && { engineCounter: cachedCounter }),
  });
  const { perSecond } = kind;
  if (perSecond === undefined) return plan;
  const load = { url: postern.url, bodiesFile, perSecond, connections };
  return { ...plan, generate: (seconds) => runAtFixedRate(load, seconds) };
}

/** The same decisions by one process, by a gateway and an engine apart, and by those of an earlier revision, in turn. */
export async function measureOneProcess(servers: Servers): Promise<readonly Row[]> {
  const { folder, slapd } = servers;
  const file = join(folder, "one-process.sqlite");
  await writeSqlBackend(file, sqlUserCount, saltedSha256());
  const sqlBodies = await writeBodies(folder, "one-process", { password: userPassword, users: sqlUserCount });
  const ldapBodies = await writeBodies(folder, "one-process-ldap", { password: userPassword, users: ldapUserCount });
  const cached = { servers, backends: sqlBackends(file), protection: guarded("10m") };
  const ldap = { servers, backends: ldapBackends(slapd.uri) };
  const tree = await buildBaseRevision();
  const rows: Row[] = [];
  for (const [options, bodiesFile, own] of [
    [cached, sqlBodies, kinds.filter(({ name }) => name !== "ldap-400")],
    [ldap, ldapBodies, kinds.filter(({ name }) => name === "ldap-400")],
  ] as const) {
    await using apart = await startPostern(options);
    await using one = await startOneProcess(options);
    await using before = tree === undefined ? undefined : await startPostern({ ...options, tree });
    const sites: (readonly [Shape, Postern])[] = [
      ["apart", apart],
      ["one", one],
    ];
    // The first one is what the others are compared with.
    if (before !== undefined) sites.unshift(["before", before]);
    for (const [, { url }] of sites) await runWrk({ url, bodiesFile, connections }, firstWarmSeconds);
    for (const kind of own) {
      rows.push(...(await measureInTurn(sites.map(([shape, site]) => planOf(site, shape, kind, bodiesFile)))));
    }
  }
  return rows;
}

/** Five starts of the whole site in one process, after one that fills the page cache. */
export async function measureOneProcessStarts(servers: Servers): Promise<Start> {
  const options = { servers, backends: ldapBackends(servers.slapd.uri) };
  const measured: { readonly readyAfterMs: number; readonly cpuMs: number; readonly idleMib: number }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    await using running = await startOneProcess(options);
    if (round === 0) continue;
    await delay(idleAfterMs);
    const { readyAfterMs, startCpuMs: cpuMs, pid } = running.gateway;
    measured.push({ readyAfterMs, cpuMs, idleMib: residentMib(pid) });
  }
  const of = (key: "readyAfterMs" | "cpuMs" | "idleMib") => figureOf(measured.map((row) => row[key]));
  return { service: "postern", readyAfterMs: of("readyAfterMs"), cpuMs: of("cpuMs"), idleMib: of("idleMib") };
}
