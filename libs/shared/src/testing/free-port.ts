import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { pid } from "node:process";

/**
 * Below Linux's range for outgoing connections (32768 and up), so that no connection takes a port before its server does.
 */
const first = 20_000;
const count = 12_700;
const folder = join(tmpdir(), `postern-test-ports-${userInfo().uid}`);

/** Processes start at different offsets, so that a port is reused late. */
let next = (pid * 64) % count;

/** Names of the ports that this process holds until it exits. */
const held: string[] = [];

function isAlive(owner: number): boolean {
  try {
    process.kill(owner, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function create(file: string): boolean {
  try {
    writeFileSync(file, String(pid), { flag: "wx" });
    return true;
  } catch {
    return false;
  }
}

/** Prevents other test processes on this machine from choosing the port before its server has started. */
function reserve(port: number): boolean {
  if (held.length === 0) {
    mkdirSync(folder, { recursive: true });
    process.once("exit", () => {
      for (const file of held) rmSync(file, { force: true });
    });
  }
  const file = join(folder, String(port));
  if (!create(file)) {
    if (isAlive(ownerOf(file))) return false;
    // Left behind by a process that was killed.
    rmSync(file, { force: true });
    if (!create(file)) return false;
  }
  held.push(file);
  return true;
}

function ownerOf(file: string): number {
  try {
    return Number(readFileSync(file, "utf8")) || pid;
  } catch {
    return pid;
  }
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer();
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}

/** A TCP port of 127.0.0.1 that nothing listens on, for a server that needs its port before it starts. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < count; tried += 1) {
    const port = first + (next % count);
    next += 1;
    if (reserve(port) && (await canListen(port))) return port;
  }
  throw new Error("no free port");
}
