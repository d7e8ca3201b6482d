import { join } from "node:path";
import { measureInTurn, type Row, type RowPlan } from "../measure/row.ts";
import { writeSqlBackend } from "../stack/backends.ts";
import { writeBodies } from "../stack/bodies.ts";
import { sqlBackends } from "../stack/config.ts";
import { startPostern } from "../stack/postern.ts";
import type { Servers } from "../stack/servers.ts";
import { userPassword } from "../stack/users.ts";
import { decisionPlan } from "./decision-row.ts";
import { lookupQuery } from "./sql.ts";

const sizes = [
  { id: "lookup-ten", title: "lookup, SQLite, ten users", users: 10 },
  { id: "lookup-million", title: "lookup, SQLite, a million users", users: 1_000_000 },
] as const;

/** Whether a decision costs the same with a small and a large backend. */
export async function measureMillionUsers(servers: Servers): Promise<readonly Row[]> {
  await using started = new AsyncDisposableStack();
  const plans: RowPlan[] = [];
  for (const { id, title, users } of sizes) {
    const file = join(servers.folder, `${id}.sqlite`);
    await writeSqlBackend(file, users);
    const bodiesFile = await writeBodies(servers.folder, id, { password: userPassword, users });
    const postern = started.use(await startPostern({ servers, backends: sqlBackends(file) }));
    const row = { id, title, connections: 64, bodiesFile, query: lookupQuery, first: true, outcome: "ok" } as const;
    plans.push(decisionPlan(postern, row));
  }
  return await measureInTurn(plans);
}
