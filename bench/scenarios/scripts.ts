import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runWrk } from "../generator/wrk.ts";
import { measureInTurn, type Row, type RowPlan } from "../measure/row.ts";
import { writeSqlBackend } from "../stack/backends.ts";
import { writeBodies } from "../stack/bodies.ts";
import { sqlBackends } from "../stack/config.ts";
import { startPostern } from "../stack/postern.ts";
import type { Servers } from "../stack/servers.ts";
import { userPassword } from "../stack/users.ts";
import { decisionPlan } from "./decision-row.ts";

/** Few, because each costs one hash before its answers come from the cache. */
const users = 4;
/** Over one connection, so that the hashes do not compete in the queue. */
const fillSeconds = 2;
const pipeline = { local_cache_ttl: "10m" };

/** What an empty environment script adds to a cached success, which is the cheapest decision that runs one. */
export async function measureScripts(servers: Servers): Promise<readonly Row[]> {
  const { folder } = servers;
  const file = join(folder, "scripts.sqlite");
  const script = join(folder, "empty.lua");
  await writeSqlBackend(file, users);
  await writeFile(script, "function environment(request) end\n");
  const bodiesFile = await writeBodies(folder, "scripts", { password: userPassword, users });
  const environment = [{ name: "empty", script_path: script }];
  const runs = [
    { id: "unscripted", title: "cached success, no script", auth: { pipeline } },
    {
      id: "scripted",
      title: "cached success, empty environment script",
      auth: { pipeline, controls: { enabled: ["lua"], lua: { environment } } },
    },
  ] as const;
  await using started = new AsyncDisposableStack();
  const plans: RowPlan[] = [];
  for (const { id, title, auth } of runs) {
    const postern = started.use(await startPostern({ servers, backends: sqlBackends(file), auth }));
    await runWrk({ url: postern.url, bodiesFile, connections: 1 }, fillSeconds);
    plans.push(decisionPlan(postern, { id, title, connections: 64, bodiesFile, first: true, outcome: "ok" }));
  }
  const rows = await measureInTurn(plans);
  return rows;
}
