import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ChildServer, startChildServer } from "./child-server.ts";
import { scratchFolder } from "./scratch-folder.ts";

export interface SpawnHaproxyOptions {
  /** The whole haproxy.cfg. Its ports must be free. */
  readonly config: string;
  /** One of its ports; the server is ready when it accepts connections. */
  readonly port: number;
}

/** A real HAProxy as one process of this user, with its configuration in a temporary folder. */
export async function spawnHaproxy({ config, port }: SpawnHaproxyOptions): Promise<ChildServer> {
  const folder = await scratchFolder();
  const file = join(folder.path, "haproxy.cfg");
  await writeFile(file, config);
  const child = { command: "haproxy", args: ["-db", "-f", file], cwd: folder.path, port };
  const server = await startChildServer(child).catch(async (error: unknown) => {
    await folder[Symbol.asyncDispose]();
    throw error;
  });
  const stop = async (): Promise<number | null> => {
    const code = await server.stop();
    await folder[Symbol.asyncDispose]();
    return code;
  };
  return { ...server, stop, [Symbol.asyncDispose]: async () => void (await stop()) };
}
