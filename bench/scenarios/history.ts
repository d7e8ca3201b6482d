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
/** Over one connection, so that the hashes do not compete in the queue. */
const fillSeconds = 2;

/** What the decision history adds to a cached success, which is the cheapest decision that is recorded. */
export async function measureHistory(servers: Servers): Promise<readonly Row[]> {
  const { folder } = servers;
  const file = join(folder, "history.sqlite");
  await writeSqlBackend(file, users);
  const bodiesFile = await writeBodies(folder, "history", { password: userPassword, users });
  const runs = [
    { id: "unrecorded", title: "cached success, no decision history", enabled: false },
    { id: "recorded", title: "cached success, decision history", enabled: true },
  ] as const;
  await using started = new AsyncDisposableStack();
  const plans: RowPlan[] = [];
  for (const { id, title, enabled } of runs) {
    const observability = { decision_history: { enabled } };
    const options = { servers, backends: sqlBackends(file), protection: guarded("10m"), observability };
    const postern = started.use(await startPostern(options));
    await runWrk({ url: postern.url, bodiesFile, connections: 1 }, fillSeconds);
    plans.push(decisionPlan(postern, { id, title, connections: 64, bodiesFile, first: true, outcome: "ok" }));
  }
  return await measureInTurn(plans);
}
