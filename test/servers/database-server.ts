import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type ChildServer, startChildServer } from "./child-server.ts";
import { pause } from "./pause.ts";
import { poll } from "./poll.ts";
import type { UserIds } from "./unprivileged.ts";

/** A real database server as a child process on a port of 127.0.0.1. */
export interface DatabaseServer extends AsyncDisposable {
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  /** Its temporary folder. */
  readonly folder: string;
  /** Sends SIGSTOP and waits until none of its threads runs. Open connections are then frozen too. */
  pause(): Promise<void>;
  /** SIGCONT. */
  resume(): Promise<void>;
  /** Sends SIGKILL and waits for the exit. */
  kill(): Promise<void>;
  /** Starts it again after `kill`: same port, same data. */
  start(): Promise<void>;
  /** Output since the last start. */
  output(): string;
}

export interface DatabaseServerOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly spawnOptions: Partial<UserIds> & { readonly env: Readonly<Record<string, string>>; readonly cwd: string };
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly scratch: AsyncDisposable & { readonly path: string };
}

/** PostgreSQL serves each connection in its own process, which keeps running while the parent is stopped. */
async function childrenOf(pid: number | undefined): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.split(" ").filter(Boolean).map(Number);
}

export async function databaseServer(options: DatabaseServerOptions): Promise<DatabaseServer> {
  const { command, args, spawnOptions, port, database, user, password, scratch } = options;
  const launch = (): Promise<ChildServer> => startChildServer({ command, args, ...spawnOptions, port });
  let server = await launch();
  return {
    port,
    database,
    user,
    password,
    folder: scratch.path,
    pause: async () => {
      await pause(server);
      for (const child of await childrenOf(server.process.pid)) process.kill(child, "SIGSTOP");
    },
    resume: async () => {
      for (const child of await childrenOf(server.process.pid)) process.kill(child, "SIGCONT");
      server.signal("SIGCONT");
    },
    kill: async () => {
      const exited = once(server.process, "exit");
      server.signal("SIGKILL");
      await exited;
    },
    // The children of a killed server end a moment later; until then PostgreSQL refuses to start on their data.
    start: async () => {
      server = await poll("the database to start again", () => launch().catch(() => undefined));
    },
    output: () => server.output(),
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await scratch[Symbol.asyncDispose]();
    },
  };
}
