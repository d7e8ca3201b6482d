import { join } from "node:path";
import { runWrk } from "../generator/wrk.ts";
import { measureInTurn, type Row, type RowPlan } from "../measure/row.ts";
import { writeSqlBackend } from "../stack/backends.ts";
import { writeBodies } from "../stack/bodies.ts";
import { guarded, sqlBackends } from "../stack/config.ts";
import { startPostern } from "../stack/postern.ts";
import type { Servers } from "../stack/servers.ts";
import { userPassword } from "../stack/users.ts";
import { decisionPlan } from "./decision-row.ts";

/** Few, because each costs one hash before its answers come from the cache. */
const users = 4;
const fillSeconds = 2;
const rounds = 5;

/** What scoring adds to a cached success, which is the cheapest decision that is scored. */
export async function measureRisk(servers: Servers): Promise<readonly Row[]> {
  const { folder } = servers;
  const file = join(folder, "risk.sqlite");
  await writeSqlBackend(file, users);
  const bodiesFile = await writeBodies(folder, "risk", { password: userPassword, users });
  const runs = [
    { id: "unscored", title: "cached success, stolen passwords off", mode: "off" },
    { id: "scored", title: "cached success, stolen passwords observed", mode: "observe" },
  ] as const;
  await using started = new AsyncDisposableStack();
  const plans: RowPlan[] = [];
  for (const { id, title, mode } of runs) {
    const options = { servers, backends: sqlBackends(file), protection: guarded("10m"), auth: { risk: { mode } } };
    const postern = started.use(await startPostern(options));
    await runWrk({ url: postern.url, bodiesFile, connections: 1 }, fillSeconds);
    plans.push(decisionPlan(postern, { id, title, connections: 64, bodiesFile, first: true, outcome: "ok" }));
  }
  return await measureInTurn(plans, rounds);
}
