import { setTimeout as delay } from "node:timers/promises";
import { runAtFixedRate } from "../generator/fixed-rate.ts";
import { runWrk } from "../generator/wrk.ts";
import { residentMib } from "../measure/processes.ts";
import { addCounts, type Unexpected, unexpectedIn } from "../measure/unexpected.ts";
import { writeBodies } from "../stack/bodies.ts";
import { guarded, ldapBackends } from "../stack/config.ts";
import { type Postern, startPostern } from "../stack/postern.ts";
import type { Servers } from "../stack/servers.ts";
import { ldapUserCount, userPassword } from "../stack/users.ts";
import { guesses } from "./guarded.ts";
import { lookupQuery } from "./sql.ts";

/** Resident MiB of one service at the end of each minute. */
export interface Endurance {
  readonly service: string;
  readonly mib: readonly number[];
}

export interface EnduranceOptions {
  readonly minutes: number;
  readonly say: (line: string) => void;
}

/** The load runs as fast as possible, so that the heap takes the size that it needs at its busiest. */
const burstSeconds = 3;
/** The rest of a third of a minute has the rate of a site. */
const steady = { perSecond: 200, seconds: 17 };
const connections = 64;

interface Slice {
  readonly bodiesFile: string;
  readonly query: string;
  readonly outcome: "ok" | "fail";
}

/** A third of a minute: what was answered or logged unexpectedly, which must not lose the measurements of the other minutes. */
async function runSlice(postern: Postern, { bodiesFile, query, outcome }: Slice): Promise<Unexpected> {
  const load = { url: `${postern.url}${query}`, bodiesFile, connections };
  const unexpected = new Map<string, number>();
  try {
    const burst = await runWrk(load, burstSeconds);
    const rest = await runAtFixedRate({ ...load, perSecond: steady.perSecond }, steady.seconds);
    const lost = burst.socketErrors + rest.socketErrors;
    if (lost > 0) unexpected.set("no answer", lost);
    await postern.decisions();
  } catch (error) {
    unexpected.set(error instanceof Error ? error.message : String(error), 1);
  }
  const services = [postern.gateway, ...postern.engines];
  for (const service of services) service.assertAlive();
  // Their lines are written within a fifth of a second.
  await delay(500);
  for (const service of services) addCounts(unexpected, unexpectedIn(await service.takeLog(), outcome));
  return unexpected;
}

/** Successes, counted wrong passwords and lookups by LDAP in turn. */
export async function measureEndurance(
  servers: Servers,
  { minutes, say }: EnduranceOptions,
): Promise<readonly Endurance[]> {
  await using postern = await startPostern({
    servers,
    backends: ldapBackends(servers.slapd.uri),
    // Every decision queries the backend; the delay of accounts under attack would limit the rate.
    protection: guarded("0s", { account_delay: { max_delay: "1ms" } }),
  });
  const right = await writeBodies(servers.folder, "endurance", { password: userPassword, users: ldapUserCount });
  const wrong = await writeBodies(servers.folder, "endurance-wrong", { ...guesses, users: ldapUserCount });
  const slices: readonly Slice[] = [
    { bodiesFile: right, query: "", outcome: "ok" },
    { bodiesFile: wrong, query: "", outcome: "fail" },
    { bodiesFile: right, query: lookupQuery, outcome: "ok" },
  ];
  const watched = [postern.gateway, ...postern.engines].map((service) => ({ service, mib: [] as number[] }));
  // Warnings about the configuration, at the start, are expected.
  await Promise.all(watched.map(({ service }) => service.takeLog()));
  const sum = new Map<string, number>();
  for (let minute = 1; minute <= minutes; minute += 1) {
    for (const slice of slices) addCounts(sum, await runSlice(postern, slice));
    for (const { service, mib } of watched) mib.push(residentMib(service.pid));
    const now = watched.map(({ service, mib }) => `${service.name} ${Math.round(mib.at(-1) ?? 0)} MiB`);
    say(`  after ${minute} min: ${now.join(", ")}`);
  }
  for (const [what, count] of sum) say(`  unexpected: ${count} × ${what}`);
  if (sum.size > 0) process.exitCode = 1;
  return watched.map(({ service, mib }) => ({ service: service.name, mib }));
}
