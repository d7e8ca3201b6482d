import { redisCommands } from "@postern/shared/platform/redis";
import { type ChildServer, type ServerPlace, startChildServer } from "./child-server.ts";
import { freePort } from "./free-port.ts";
import { scratchFolder } from "./scratch-folder.ts";

export interface SpawnRedisOptions {
  /** Default: a free port. Pass the same port again to restart Redis there. */
  readonly port?: number;
  /** Additional arguments of redis-server. */
  readonly args?: readonly string[];
  /** Default: this host. */
  readonly place?: ServerPlace | undefined;
}

export interface RedisServer extends ChildServer {
  readonly port: number;
  readonly url: string;
}

/** The user of a service that may run what the service needs, and nothing else. */
export const redisUserOf = (service: string): string => `postern-${service}`;
export const redisUserPassword = "demo-redis-user-password";

/** The rule of each service's user, as words after `user`. */
export function redisUserRules(): readonly (readonly string[])[] {
  return Object.entries(redisCommands).map(([service, commands]) => [
    redisUserOf(service),
    "on",
    `>${redisUserPassword}`,
    "~postern:*",
    "&*",
    "-@all",
    ...commands.map((command) => `+${command}`),
  ]);
}

/** A real redis-server on loopback, or at its place, without persistence. */
export async function spawnRedis({ args = [], place, ...options }: SpawnRedisOptions = {}): Promise<RedisServer> {
  const port = options.port ?? (await freePort());
  const address = place?.address ?? "127.0.0.1";
  const folder = await scratchFolder();
  const fixed = [
    "--port",
    String(port),
    "--bind",
    address,
    "--protected-mode",
    "no",
    "--save",
    "",
    "--appendonly",
    "no",
    "--dir",
    folder.path,
    // Replicas follow at once, instead of waiting five seconds for others.
    "--repl-diskless-sync-delay",
    "0",
  ];
  const server = await startChildServer({
    command: "redis-server",
    args: [...fixed, ...redisUserRules().flatMap((words) => ["--user", ...words]), ...args],
    port,
    place,
  });
  const stop = async (): Promise<number | null> => {
    const code = await server.stop();
    await folder[Symbol.asyncDispose]();
    return code;
  };
  return {
    ...server,
    output: () => server.output(),
    signal: (name) => server.signal(name),
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
    port,
    url: `redis://${address}:${port}/0`,
  };
}
