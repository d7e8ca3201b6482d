import { watchMemory } from "../measure/memory.ts";
import { measureInTurn } from "../measure/row.ts";
import { writeBodies } from "../stack/bodies.ts";
import { ldapBackends } from "../stack/config.ts";
import { startPostern } from "../stack/postern.ts";
import type { Servers } from "../stack/servers.ts";
import { ldapUserCount, userPassword } from "../stack/users.ts";
import { startRawLdap, startSkeleton } from "./baselines.ts";
import { decisionPlan, measureDecision } from "./decision-row.ts";
import type { Measurements } from "./sql.ts";

/**
 * Decisions by search and bind at slapd, compared with ldapts alone, by one engine and by two that share the requests.
 */
export async function measureLdap(servers: Servers): Promise<Measurements> {
  const backends = ldapBackends(servers.slapd.uri);
  await using raw = await startRawLdap(servers);
  await using postern = await startPostern({ servers, backends });
  await using two = await startPostern({ servers, backends, engines: 2 });
  const memory = watchMemory([postern.gateway, ...postern.engines], "LDAP");
  const right = await writeBodies(servers.folder, "ldap", { password: userPassword, users: ldapUserCount });
  const wrong = await writeBodies(servers.folder, "ldap-wrong", { password: "guessed", users: ldapUserCount });
  const success = { title: "uncached success, LDAP", bodiesFile: right, outcome: "ok", first: true } as const;
  const title = "uncached success, LDAP, two engines";
  const rows = await measureInTurn(
    [
      raw.plan,
      decisionPlan(postern, { ...success, id: "ldap", connections: 64 }),
      decisionPlan(two, { ...success, id: "ldap-2-engines", title, connections: 64 }),
    ],
    memory.look,
  );
  const failing = await measureDecision(postern, {
    id: "ldap-wrong",
    title: "failing: wrong password, LDAP",
    connections: 64,
    bodiesFile: wrong,
    outcome: "fail",
  });
  await using skeleton = await startSkeleton(servers);
  const one = await measureInTurn([
    skeleton.plan("skeleton-1-ldap", 1),
    decisionPlan(postern, { ...success, first: false, id: "ldap-1", connections: 1 }),
  ]);
  return { rows: [...rows, failing, ...one], memories: memory.memories() };
}
