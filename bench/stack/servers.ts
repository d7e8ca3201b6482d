import { type Slapd, scratchFolder, spawnNats, spawnRedis, spawnSlapd } from "@postern/testing";
import type { Measured } from "../measure/processes.ts";
import { ldapContent } from "./backends.ts";

/** The servers that everything in a run shares. */
export interface Servers extends AsyncDisposable {
  /** Temporary: bodies, databases, logs. */
  readonly folder: string;
  readonly natsUrl: string;
  readonly redisPort: number;
  readonly slapd: Slapd;
  readonly processes: readonly Measured[];
}

export async function startServers(): Promise<Servers> {
  await using started = new AsyncDisposableStack();
  const folder = started.use(await scratchFolder());
  const nats = started.use(await spawnNats());
  const redis = started.use(await spawnRedis());
  const slapd = started.use(await spawnSlapd({ ldif: ldapContent(), logLevel: "0" }));
  const owned = started.move();
  return {
    folder: folder.path,
    natsUrl: nats.url,
    redisPort: redis.port,
    slapd,
    processes: [
      { role: "nats", pid: nats.pid },
      { role: "slapd", pid: slapd.pid },
      { role: "redis", pid: redis.pid },
    ],
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
