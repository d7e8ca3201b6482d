import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { poll } from "./poll.ts";

/** Debian installs servers in folders that only root has in its path. */
export const serverPath = `${process.env["PATH"] ?? ""}:/usr/local/sbin:/usr/sbin:/sbin`;

/** Another host, as tests see it. */
export interface ServerPlace {
  /** The address at which this process reaches it. */
  readonly address: string;
  /** The command that runs another one there. */
  readonly enter: readonly [string, ...string[]];
}

export interface ChildServerOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** User of the process; default: the current user. */
  readonly uid?: number;
  readonly gid?: number;
  /** The server is ready when this TCP port of 127.0.0.1, or of its place, accepts connections. */
  readonly port?: number;
  /** Default: this host. */
  readonly place?: ServerPlace | undefined;
  /** The server is ready when this resolves to true; polled with everything that it has written so far. */
  readonly ready?: (output: string) => Promise<boolean> | boolean;
  readonly readyWithinMs?: number;
}

/** A real server as a child process of the test. */
export interface ChildServer extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly pid: number;
  /** Everything written so far to both streams. */
  output(): string;
  signal(name: NodeJS.Signals): void;
  /** Sends SIGTERM (SIGKILL after 5 s), waits for the exit and returns its code. Safe to call twice. */
  stop(): Promise<number | null>;
}

async function accepts(port: number, host: string): Promise<boolean> {
  const socket = connect({ port, host });
  const opened = await Promise.race([
    once(socket, "connect").then(() => true),
    once(socket, "error").then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return opened;
}

const running = new Set<ChildServer>();

/**
 * Stops the servers that still run, those that are being started included. A hook that times out never returns what it started, so that
 * no other hook can stop it.
 */
export async function stopRunningServers(): Promise<void> {
  await Promise.all([...running].map((server) => server.stop()));
}

export async function startChildServer(options: ChildServerOptions): Promise<ChildServer> {
  const { command, args, cwd, env, uid, gid, port, place, ready, readyWithinMs = 60_000 } = options;
  const identity = uid === undefined || gid === undefined ? {} : { uid, gid };
  const [program, ...words] = [...(place?.enter ?? []), command];
  const child = spawn(program ?? command, [...words, ...args], {
    cwd,
    env: { ...process.env, PATH: serverPath, ...env },
    ...identity,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const chunks: string[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk.toString()));
  const exited = new Promise<number | null>((resolve) => {
    const end = (code: number | null): void => {
      running.delete(server);
      resolve(code);
    };
    child.once("exit", end);
    child.once("error", (error) => {
      chunks.push(String(error));
      end(null);
    });
  });

  const stop = async (): Promise<number | null> => {
    if (!running.has(server)) return exited;
    child.kill("SIGCONT");
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
    const code = await exited;
    clearTimeout(timer);
    return code;
  };

  const server: ChildServer = {
    process: child,
    pid: child.pid ?? -1,
    output: () => chunks.join(""),
    signal: (name) => void child.kill(name),
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
  running.add(server);
  try {
    await poll(
      `${command} to be ready`,
      async () => {
        if (!running.has(server)) throw new Error(`${command} ended early:\n${server.output()}`);
        if (port !== undefined && !(await accepts(port, place?.address ?? "127.0.0.1"))) return false;
        return ready === undefined ? true : ready(server.output());
      },
      readyWithinMs,
    );
  } catch (error) {
    await stop();
    throw new Error(`${String(error)}\n${server.output()}`, { cause: error });
  }
  return server;
}
