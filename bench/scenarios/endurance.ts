import { runAtFixedRate } from "../generator/fixed-rate.ts";
import { runWrk } from "../generator/wrk.ts";
import { residentMib } from "../measure/processes.ts";
import { writeBodies } from "../stack/bodies.ts";
import { guarded, ldapBackends } from "../stack/config.ts";
import { startPostern } from "../stack/postern.ts";
import type { Servers } from "../stack/servers.ts";
import { ldapUserCount, userPassword } from "../stack/users.ts";
import { outcomeCheck } from "./decision-row.ts";
import { guesses } from "./guarded.ts";
import { lookupQuery } from "./sql.ts";

/** Resident MiB of one service at the end of each minute. */
export interface Endurance {
  readonly service: string;
  readonly mib: readonly number[];
}

const minutes = 30;
/** As fast as possible, so that the heap takes the size that it needs at its busiest. */
const burstSeconds = 3;
/** At a rate that a site has, for the rest of a third of a minute. */
const steady = { perSecond: 200, seconds: 17 };
const connections = 64;

/** An unexpected answer fails the run at its end, because half an hour of measurements would be lost. */
function noteUnexpected(error: unknown, say: (line: string) => void): void {
  say(`  ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

/** Half an hour of successes, counted wrong passwords and lookups by LDAP in turn. */
export async function measureEndurance(servers: Servers, say: (line: string) => void): Promise<readonly Endurance[]> {
  await using postern = await startPostern({
    servers,
    backends: ldapBackends(servers.slapd.uri),
    // Every decision queries the backend; the delay of accounts under attack would limit the rate.
    protection: guarded("0s", { account_delay: { max_delay: "1ms" } }),
  });
  const right = await writeBodies(servers.folder, "endurance", { password: userPassword, users: ldapUserCount });
  const wrong = await writeBodies(servers.folder, "endurance-wrong", { ...guesses, users: ldapUserCount });
  const slices = [
    { bodiesFile: right, query: "", outcome: "ok" },
    { bodiesFile: wrong, query: "", outcome: "fail" },
    { bodiesFile: right, query: lookupQuery, outcome: "ok" },
  ] as const;
  const watched = [postern.gateway, ...postern.engines].map((service) => ({ service, mib: [] as number[] }));
  for (let minute = 1; minute <= minutes; minute += 1) {
    for (const { bodiesFile, query, outcome } of slices) {
      const load = { url: `${postern.url}${query}`, bodiesFile, connections };
      const check = outcomeCheck(postern, outcome);
      await check.begin();
      const burst = await runWrk(load, burstSeconds);
      const rest = await runAtFixedRate({ ...load, perSecond: steady.perSecond }, steady.seconds);
      await check.end(burst.requests + rest.requests).catch((error: unknown) => noteUnexpected(error, say));
      await Promise.all(watched.map(({ service }) => service.emptyLog()));
    }
    for (const { service, mib } of watched) mib.push(residentMib(service.pid));
    const now = watched.map(({ service, mib }) => `${service.name} ${Math.round(mib.at(-1) ?? 0)} MiB`);
    say(`  after ${minute} min: ${now.join(", ")}`);
  }
  return watched.map(({ service, mib }) => ({ service: service.name, mib }));
}
