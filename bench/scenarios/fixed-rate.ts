import { join } from "node:path";
import { runAtFixedRate } from "../generator/fixed-rate.ts";
import { runWrk } from "../generator/wrk.ts";
import { firstWarmSeconds, measureInTurn, type Row, type RowPlan } from "../measure/row.ts";
import { saltedSha256, writeSqlBackend } from "../stack/backends.ts";
import { writeBodies } from "../stack/bodies.ts";
import { guarded, ldapBackends, sqlBackends } from "../stack/config.ts";
import { startPostern } from "../stack/postern.ts";
import type { Servers } from "../stack/servers.ts";
import { ldapUserCount, sqlUserCount, userPassword } from "../stack/users.ts";
import { startSkeleton } from "./baselines.ts";
import { decisionPlan } from "./decision-row.ts";

const connections = 64;
const windowSeconds = 2;
/** V8 compiles the hot path only after some thousand requests, which takes too long at a fixed rate. */
const warmWithin = firstWarmSeconds;

function atRate(
  plan: RowPlan,
  load: { readonly url: string; readonly bodiesFile: string; readonly perSecond: number },
) {
  return { ...plan, windowSeconds, generate: (seconds: number) => runAtFixedRate({ ...load, connections }, seconds) };
}

/** Decisions at rates that sites have: the services are mostly idle, and waking them costs more than deciding. */
export async function measureFixedRate(servers: Servers): Promise<readonly Row[]> {
  const { folder } = servers;
  const file = join(folder, "fixed-rate.sqlite");
  await writeSqlBackend(file, sqlUserCount, saltedSha256());
  await using skeleton = await startSkeleton(servers);
  const protection = guarded("10m");
  await using cached = await startPostern({ servers, backends: sqlBackends(file), protection });
  await using ldap = await startPostern({ servers, backends: ldapBackends(servers.slapd.uri) });
  const sqlBodies = await writeBodies(folder, "fixed-rate", { password: userPassword, users: sqlUserCount });
  const ldapBodies = await writeBodies(folder, "fixed-rate-ldap", { password: userPassword, users: ldapUserCount });
  await runWrk({ url: cached.url, bodiesFile: sqlBodies, connections }, warmWithin);
  await runWrk({ url: ldap.url, bodiesFile: ldapBodies, connections }, warmWithin);
  await runWrk({ url: skeleton.url, bodiesFile: sqlBodies, connections }, warmWithin);
  const success = { connections, outcome: "ok" } as const;
  const plans = [
    atRate(skeleton.plan("skeleton-1000", connections), {
      url: skeleton.url,
      bodiesFile: sqlBodies,
      perSecond: 1000,
    }),
    atRate(
      decisionPlan(cached, {
        ...success,
        id: "cached-1000",
        title: "cached success, 1,000/s",
        bodiesFile: sqlBodies,
        engineCounter: 'service_result_cache_reads_total{level="memory",outcome="hit"}',
      }),
      { url: cached.url, bodiesFile: sqlBodies, perSecond: 1000 },
    ),
    atRate(
      decisionPlan(ldap, {
        ...success,
        id: "ldap-400",
        title: "uncached success, LDAP, 400/s",
        bodiesFile: ldapBodies,
      }),
      { url: ldap.url, bodiesFile: ldapBodies, perSecond: 400 },
    ),
  ];
  return await measureInTurn(plans);
}
