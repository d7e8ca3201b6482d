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
  /** Processor time until ready. */
  readonly cpuMs: number;
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
    const times: { readonly readyAfterMs: number; readonly startCpuMs: number }[] = [];
    let idleMib = 0;
    for (let nth = 0; nth <= counted; nth += 1) {
      await using running = await startService(service, options);
      if (nth > 0) times.push(running);
      if (nth < counted) continue;
      await delay(idleAfterMs);
      idleMib = residentMib(running.pid);
    }
    const [, median] = times.toSorted((a, b) => a.readyAfterMs - b.readyAfterMs);
    if (median === undefined) throw new Error("no start was measured");
    starts.push({ service, readyAfterMs: median.readyAfterMs, cpuMs: median.startCpuMs, idleMib });
  }
  return starts;
}
