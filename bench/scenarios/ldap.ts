import { watchMemory } from "../measure/memory.ts";
import type { Row } from "../measure/row.ts";
import { writeBodies } from "../stack/bodies.ts";
import { ldapBackends } from "../stack/config.ts";
import { startPostern } from "../stack/postern.ts";
import type { Servers } from "../stack/servers.ts";
import { ldapUserCount, userPassword } from "../stack/users.ts";
import { measureDecision } from "./decision-row.ts";
import type { Measurements } from "./sql.ts";

/** Decisions by search and bind at slapd. */
export async function measureLdap(servers: Servers): Promise<Measurements> {
  await using postern = await startPostern({ servers, backends: ldapBackends(servers.slapd.uri) });
  const memory = watchMemory(postern, "LDAP");
  const rows: Row[] = [];
  const right = await writeBodies(servers.folder, "ldap", { password: userPassword, users: ldapUserCount });
  const wrong = await writeBodies(servers.folder, "ldap-wrong", { password: "guessed", users: ldapUserCount });
  const success = { title: "uncached success, LDAP", bodiesFile: right, outcome: "ok" } as const;
  rows.push(await measureDecision(postern, { ...success, id: "ldap", connections: 64, first: true }));
  rows.push(await measureDecision(postern, { ...success, id: "ldap-1", connections: 1 }));
  rows.push(
    await measureDecision(postern, {
      id: "ldap-wrong",
      title: "failing: wrong password, LDAP",
      connections: 64,
      bodiesFile: wrong,
      outcome: "fail",
    }),
  );
  memory.look();
  return { rows, memories: memory.memories };
}
