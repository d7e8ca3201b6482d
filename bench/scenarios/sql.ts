import { join } from "node:path";
import { type Memory, watchMemory } from "../measure/memory.ts";
import type { Row } from "../measure/row.ts";
import { writeBodies } from "../stack/bodies.ts";
import { sqlBackends } from "../stack/config.ts";
import { writeSqlDirectory } from "../stack/directories.ts";
import { startPostern } from "../stack/postern.ts";
import type { Servers } from "../stack/servers.ts";
import { sqlUserCount, userPassword } from "../stack/users.ts";
import { measureDecision } from "./decision-row.ts";

export const lookupQuery = "?mode=no-auth";
const hashWindowSeconds = 2;

export interface Measurements {
  readonly rows: readonly Row[];
  readonly memories: readonly Memory[];
}

/** Decisions from an SQLite directory of Argon2id hashes. */
export async function measureSql(servers: Servers): Promise<Measurements> {
  const file = join(servers.folder, "directory.sqlite");
  await writeSqlDirectory(file, sqlUserCount);
  await using postern = await startPostern({ servers, backends: sqlBackends(file) });
  const memory = watchMemory(postern, "SQLite");
  const rows: Row[] = [];
  const known = await writeBodies(servers.folder, "sql", { password: userPassword, users: sqlUserCount });
  const unknown = await writeBodies(servers.folder, "sql-unknown", {
    username: (nth) => `nobody${nth}@example.test`,
    password: userPassword,
    users: sqlUserCount,
  });
  const lookup = { title: "lookup, SQLite", bodiesFile: known, query: lookupQuery, outcome: "ok" } as const;
  rows.push(await measureDecision(postern, { ...lookup, id: "lookup", connections: 64, first: true }));
  rows.push(await measureDecision(postern, { ...lookup, id: "lookup-1", connections: 1 }));
  // JSON once more between the two: what the machine does in the meantime is no cost of a dialect.
  for (const format of ["cbor", "json", "header"] as const) {
    const name = `sql-${format}`;
    const bodiesFile = await writeBodies(servers.folder, name, { password: userPassword, users: sqlUserCount, format });
    const row = { ...lookup, id: `lookup-${format}`, title: `lookup, SQLite, ${format}`, connections: 64 } as const;
    rows.push(await measureDecision(postern, { ...row, bodiesFile, format }));
  }
  memory.look();
  rows.push(
    await measureDecision(postern, {
      id: "sql",
      title: "uncached success, SQLite argon2id",
      connections: 64,
      windowSeconds: hashWindowSeconds,
      bodiesFile: known,
      outcome: "ok",
    }),
  );
  rows.push(
    await measureDecision(postern, {
      id: "sql-unknown",
      title: "failing: unknown user, SQLite (costs a hash)",
      connections: 64,
      windowSeconds: hashWindowSeconds,
      bodiesFile: unknown,
      outcome: "fail",
    }),
  );
  memory.look();
  return { rows, memories: memory.memories };
}
