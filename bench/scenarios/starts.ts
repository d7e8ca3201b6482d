import { setTimeout as delay } from "node:timers/promises";
import { residentMib } from "../measure/processes.ts";
import { ldapBackends } from "../stack/config.ts";
import { writeConfig } from "../stack/postern.ts";
import type { Servers } from "../stack/servers.ts";
import { type ServiceName, serviceNames, startService } from "../stack/service.ts";

/** One service: from spawn to ready, and its memory a second later with nothing to do. */
export interface Start {
  readonly service: ServiceName;
  readonly readyAfterMs: number;
  readonly idleMib: number;
}

const counted = 3;
const idleAfterMs = 1000;

/** The median of three starts after one that fills the page cache; NATS, Redis and slapd are up. */
export async function measureStarts(servers: Servers): Promise<readonly Start[]> {
  const { configFile } = await writeConfig(servers, ldapBackends(servers.slapd.uri));
  const options = { configFile, folder: servers.folder };
  const starts: Start[] = [];
  for (const service of serviceNames) {
    const timesMs: number[] = [];
    let idleMib = 0;
    for (let nth = 0; nth <= counted; nth += 1) {
      await using running = await startService(service, options);
      if (nth > 0) timesMs.push(running.readyAfterMs);
      if (nth < counted) continue;
      await delay(idleAfterMs);
      idleMib = residentMib(running.pid);
    }
    const readyAfterMs = timesMs.toSorted((a, b) => a - b)[1] ?? Number.NaN;
    starts.push({ service, readyAfterMs, idleMib });
  }
  return starts;
}
