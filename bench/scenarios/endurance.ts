import { runWrk } from "../generator/wrk.ts";
import { residentMib } from "../measure/processes.ts";
import { writeBodies } from "../stack/bodies.ts";
import { ldapBackends } from "../stack/config.ts";
import { startPostern } from "../stack/postern.ts";
import type { Servers } from "../stack/servers.ts";
import { ldapUserCount, userPassword } from "../stack/users.ts";
import { outcomeCheck } from "./decision-row.ts";
import { lookupQuery } from "./sql.ts";

/** Resident MiB of one service at the end of each round. */
export interface Endurance {
  readonly service: string;
  readonly mib: readonly number[];
}

const sliceSeconds = 20;
const rounds = 10;
const connections = 64;

/** Ten minutes of successes, wrong passwords and lookups by LDAP in turn. */
export async function measureEndurance(servers: Servers, say: (line: string) => void): Promise<readonly Endurance[]> {
  await using postern = await startPostern({ servers, backends: ldapBackends(servers.slapd.uri) });
  const right = await writeBodies(servers.folder, "ldap", { password: userPassword, users: ldapUserCount });
  const wrong = await writeBodies(servers.folder, "ldap-wrong", { password: "guessed", users: ldapUserCount });
  const slices = [
    { bodiesFile: right, query: "", outcome: "ok" },
    { bodiesFile: wrong, query: "", outcome: "fail" },
    { bodiesFile: right, query: lookupQuery, outcome: "ok" },
  ] as const;
  const watched = [postern.gateway, ...postern.engines].map((service) => ({ service, mib: [] as number[] }));
  for (let round = 1; round <= rounds; round += 1) {
    for (const { bodiesFile, query, outcome } of slices) {
      const check = outcomeCheck(postern, outcome);
      await check.begin();
      const { requests } = await runWrk({ url: `${postern.url}${query}`, bodiesFile, connections }, sliceSeconds);
      await check.end(requests);
      await Promise.all(watched.map(({ service }) => service.emptyLog()));
    }
    for (const { service, mib } of watched) mib.push(residentMib(service.pid));
    const now = watched.map(({ service, mib }) => `${service.name} ${Math.round(mib.at(-1) ?? 0)} MiB`);
    say(`  after ${round * slices.length * sliceSeconds} s: ${now.join(", ")}`);
  }
  return watched.map(({ service, mib }) => ({ service: service.name, mib }));
}
