import { join } from "node:path";
import type { Row } from "../measure/row.ts";
import { writeBodies } from "../stack/bodies.ts";
import { ldapBackends, sqlBackends } from "../stack/config.ts";
import { startPostern } from "../stack/postern.ts";
import type { Servers } from "../stack/servers.ts";
import { ldapUserCount, sqlUserCount, userPassword } from "../stack/users.ts";
import { measureDecision } from "./decision-row.ts";
import { lookupQuery } from "./sql.ts";

const engines = 2;
const connections = 64;

/** The same decisions with the requests split between two engines. Reads the SQLite file that `measureSql` wrote. */
export async function measureTwoEngines(servers: Servers): Promise<readonly Row[]> {
  const sqlBodies = await writeBodies(servers.folder, "sql", { password: userPassword, users: sqlUserCount });
  const ldapBodies = await writeBodies(servers.folder, "ldap", { password: userPassword, users: ldapUserCount });
  const rows: Row[] = [];
  {
    const backends = sqlBackends(join(servers.folder, "directory.sqlite"));
    await using postern = await startPostern({ servers, backends, engines });
    const title = "lookup, SQLite, two engines";
    const row = { id: "lookup-2-engines", title, connections, bodiesFile: sqlBodies, query: lookupQuery } as const;
    rows.push(await measureDecision(postern, { ...row, first: true, outcome: "ok" }));
  }
  await using postern = await startPostern({ servers, backends: ldapBackends(servers.slapd.uri), engines });
  const title = "uncached success, LDAP, two engines";
  rows.push(
    await measureDecision(postern, {
      id: "ldap-2-engines",
      title,
      connections,
      bodiesFile: ldapBodies,
      first: true,
      outcome: "ok",
    }),
  );
  return rows;
}
