import { join } from "node:path";
import { runWrk } from "../generator/wrk.ts";
import { measureInTurn, type Row } from "../measure/row.ts";
import { saltedSha256, writeSqlBackend } from "../stack/backends.ts";
import { baseRevision, buildBaseRevision } from "../stack/base-revision.ts";
import { writeBodies } from "../stack/bodies.ts";
import { startPostern } from "../stack/postern.ts";
import type { Servers } from "../stack/servers.ts";
import { sqlUserCount } from "../stack/users.ts";
import { decisionPlan } from "./decision-row.ts";
import { comparedLoads, loadsOf } from "./loads.ts";

const connections = 64;
/** The services start anew for each load, and both need the same time until their code is compiled. */
const warmSeconds = 3;

/** Decisions by the services of this tree and by those of an earlier revision, in turn. Empty if the revision cannot be built. */
export async function measureBesideRevision(servers: Servers): Promise<readonly Row[]> {
  const tree = await buildBaseRevision();
  if (tree === undefined) return [];
  const file = join(servers.folder, "beside-revision.sqlite");
  await writeSqlBackend(file, sqlUserCount, saltedSha256());
  const loads = await loadsOf(servers, file);
  const rows: Row[] = [];
  for (const name of comparedLoads) {
    const { postern: options, bodies, outcome, query } = loads[name];
    const { format } = bodies;
    const bodiesFile = await writeBodies(servers.folder, `beside-${name}`, bodies);
    await using base = await startPostern({ ...options, servers, tree });
    await using own = await startPostern({ ...options, servers });
    for (const { url } of [base, own]) {
      const address = `${new URL(format ?? "json", url).href}${query ?? ""}`;
      await runWrk({ url: address, bodiesFile, connections, format }, warmSeconds);
    }
    const row = {
      connections,
      bodiesFile,
      outcome,
      ...(query !== undefined && { query }),
      ...(format !== undefined && { format }),
    };
    rows.push(
      ...(await measureInTurn([
        decisionPlan(base, { ...row, id: `base-${name}`, title: `${name}, revision ${baseRevision}` }),
        decisionPlan(own, { ...row, id: `own-${name}`, title: `${name}, this tree` }),
      ])),
    );
  }
  return rows;
}
