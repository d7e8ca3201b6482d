import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ChildServer, type ServerPlace, startChildServer } from "./child-server.ts";
import { freePort } from "./free-port.ts";
import { scratchFolder } from "./scratch-folder.ts";

export interface SpawnNatsOptions {
  /** A port to reuse after a kill; default: a free one. */
  readonly port?: number;
  /** Additional lines of the server's configuration file. */
  readonly config?: string;
  /** The address on which it listens; default: 127.0.0.1, or that of its place. */
  readonly listen?: string;
  /** Default: this host. */
  readonly place?: ServerPlace | undefined;
}

export interface NatsServer extends ChildServer {
  readonly url: string;
  readonly port: number;
}

/** A real nats-server on 127.0.0.1 with the limits of the deployment, in a temporary folder. */
export async function spawnNats(options: SpawnNatsOptions = {}): Promise<NatsServer> {
  const { port = await freePort(), config = "", place } = options;
  const address = place?.address ?? "127.0.0.1";
  const { listen = address } = options;
  const folder = await scratchFolder();
  const file = join(folder.path, "nats.conf");
  await writeFile(file, `listen: "${listen}:${port}"\nmax_payload: 4MB\n${config}\n`);
  const child = { command: "nats-server", args: ["-c", file], cwd: folder.path, port, place, env: { GOMAXPROCS: "1" } };
  const server = await startChildServer(child).catch(async (error: unknown) => {
    await folder[Symbol.asyncDispose]();
    throw error;
  });
  const stop = async (): Promise<number | null> => {
    const code = await server.stop();
    await folder[Symbol.asyncDispose]();
    return code;
  };
  return {
    ...server,
    url: `nats://${address}:${port}`,
    port,
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
}
