import { setTimeout as delay } from "node:timers/promises";
import { residentMib } from "../measure/processes.ts";
import { ldapBackends } from "../stack/config.ts";
import { writeConfig } from "../stack/postern.ts";
import type { Servers } from "../stack/servers.ts";
import { type ServiceName, serviceNames, startService } from "../stack/service.ts";

/** One service: time from spawn to ready, and its memory when idle one second later. */
export interface Start {
  readonly service: ServiceName;
  readonly readyAfterMs: number;
  /** CPU time until ready. */
  readonly cpuMs: number;
  readonly idleMib: number;
}

const counted = 3;
const idleAfterMs = 1000;

/** The median of three starts after one that fills the page cache; NATS, Redis and slapd are running. */
export async function measureStarts(servers: Servers): Promise<readonly Start[]> {
  const { configFile } = await writeConfig(servers, ldapBackends(servers.slapd.uri));
  const options = { configFile, folder: servers.folder };
  const starts: Start[] = [];
  for (const service of serviceNames) {
    const times: { readonly readyAfterMs: number; readonly startCpuMs: number }[] = [];
    let idleMib = 0;
    for (let round = 0; round <= counted; round += 1) {
      await using running = await startService(service, options);
      if (round > 0) times.push(running);
      if (round < counted) continue;
      await delay(idleAfterMs);
      idleMib = residentMib(running.pid);
    }
    const [, median] = times.toSorted((a, b) => a.readyAfterMs - b.readyAfterMs);
    if (median === undefined) throw new Error("no start was measured");
    starts.push({ service, readyAfterMs: median.readyAfterMs, cpuMs: median.startCpuMs, idleMib });
  }
  return starts;
}
