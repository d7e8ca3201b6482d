import { setTimeout as delay } from "node:timers/promises";
import { type Figure, figureOf } from "../measure/added.ts";
import { residentMib } from "../measure/processes.ts";
import { rounds } from "../measure/row.ts";
import { ldapBackends } from "../stack/config.ts";
import { writeConfig } from "../stack/postern.ts";
import type { Servers } from "../stack/servers.ts";
import { type ServiceName, serviceNames, startService } from "../stack/service.ts";

/** One service, or all of them in one process (`postern`): time from spawn to ready, and its memory when idle one second later. */
export interface Start {
  readonly service: ServiceName | "postern";
  readonly readyAfterMs: Figure;
  /** CPU time until ready. */
  readonly cpuMs: Figure;
  readonly idleMib: Figure;
}

const idleAfterMs = 1000;

/** Five starts after one that fills the page cache; NATS, Redis and slapd are running. */
export async function measureStarts(servers: Servers): Promise<readonly Start[]> {
  const { configFile } = await writeConfig(servers, ldapBackends(servers.slapd.uri));
  const options = { configFile, folder: servers.folder };
  const starts: Start[] = [];
  for (const service of serviceNames) {
    const measured: { readonly readyAfterMs: number; readonly cpuMs: number; readonly idleMib: number }[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      await using running = await startService(service, options);
      if (round === 0) continue;
      await delay(idleAfterMs);
      const { readyAfterMs, startCpuMs: cpuMs, pid } = running;
      measured.push({ readyAfterMs, cpuMs, idleMib: residentMib(pid) });
    }
    const of = (key: "readyAfterMs" | "cpuMs" | "idleMib"): Figure => figureOf(measured.map((row) => row[key]));
    starts.push({ service, readyAfterMs: of("readyAfterMs"), cpuMs: of("cpuMs"), idleMib: of("idleMib") });
  }
  return starts;
}
