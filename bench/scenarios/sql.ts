import { join } from "node:path";
import { type Memory, watchMemory } from "../measure/memory.ts";
import { measureInTurn, type Row } from "../measure/row.ts";
import { writeSqlBackend } from "../stack/backends.ts";
import { writeBodies } from "../stack/bodies.ts";
import { sqlBackends } from "../stack/config.ts";
import { type Postern, startPostern } from "../stack/postern.ts";
import type { Servers } from "../stack/servers.ts";
import { sqlUserCount, userPassword } from "../stack/users.ts";
import { startHashRate } from "./baselines.ts";
import { decisionPlan, measureDecision } from "./decision-row.ts";

export const lookupQuery = "?mode=no-auth";
const hashWindowSeconds = 2;

export interface Measurements {
  readonly rows: readonly Row[];
  readonly memories: readonly Memory[];
}

interface Looked {
  readonly postern: Postern;
  /** With two engines. */
  readonly two: Postern;
  readonly look: () => void;
}

/** The lookup in each dialect, by one engine and by two that share the requests. */
async function measureLookups(servers: Servers, { postern, two, look }: Looked): Promise<readonly Row[]> {
  const bodies = { password: userPassword, users: sqlUserCount };
  const json = await writeBodies(servers.folder, "sql", bodies);
  const cbor = await writeBodies(servers.folder, "sql-cbor", { ...bodies, format: "cbor" });
  const header = await writeBodies(servers.folder, "sql-header", { ...bodies, format: "header" });
  const lookup = { connections: 64, query: lookupQuery, outcome: "ok" } as const;
  const one = { ...lookup, id: "lookup", title: "lookup, SQLite", bodiesFile: json, first: true } as const;
  const plans = [
    decisionPlan(postern, one),
    decisionPlan(two, { ...one, id: "lookup-2-engines", title: "lookup, SQLite, two engines" }),
    decisionPlan(postern, { ...lookup, id: "lookup-cbor", title: "lookup, CBOR", bodiesFile: cbor, format: "cbor" }),
    decisionPlan(postern, {
      ...lookup,
      id: "lookup-header",
      title: "lookup, header",
      bodiesFile: header,
      format: "header",
    }),
  ];
  const rows = await measureInTurn(plans, look);
  return [...rows, await measureDecision(postern, { ...one, first: false, id: "lookup-1", connections: 1 })];
}

/** Decisions from an SQLite backend with Argon2id hashes. */
export async function measureSql(servers: Servers): Promise<Measurements> {
  const file = join(servers.folder, "directory.sqlite");
  await writeSqlBackend(file, sqlUserCount);
  const backends = sqlBackends(file);
  await using hashRate = await startHashRate(servers, hashWindowSeconds);
  await using postern = await startPostern({ servers, backends });
  await using two = await startPostern({ servers, backends, engines: 2 });
  const memory = watchMemory([postern.gateway, ...postern.engines], "SQLite");
  const lookups = await measureLookups(servers, { postern, two, look: memory.look });
  const success = decisionPlan(postern, {
    id: "sql",
    title: "uncached success, SQLite argon2id",
    connections: 64,
    windowSeconds: hashWindowSeconds,
    bodiesFile: await writeBodies(servers.folder, "sql", { password: userPassword, users: sqlUserCount }),
    outcome: "ok",
  });
  const hashes = await measureInTurn([hashRate.plan, success], memory.look);
  return { rows: [...lookups, ...hashes], memories: memory.memories() };
}
