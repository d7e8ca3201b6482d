import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { pid } from "node:process";

/**
 * Below Linux's range for outgoing connections (32768 and up), so that no connection takes a port before its server does.
 */
const first = 20_000;
const blockSize = 100;
const blocks = 127;

/** Processes start at different blocks, so that a port is reused late. */
let nextBlock = pid % blocks;

/** The ports of the blocks that this process owns, in the order of their next use. */
const owned: number[] = [];

const unused: number[] = [];

let claiming: Promise<boolean> | undefined;

async function listens(server: Server): Promise<boolean> {
  try {
    await once(server, "listening");
    return true;
  } catch {
    return false;
  }
}

/**
 * An abstract socket belongs to one process of the machine, and the kernel releases it when that
 * process ends, however it ends: a file would outlive a killed process, and two others could both take it over.
 */
async function claim(block: number): Promise<boolean> {
  const server = createServer().listen(`\0postern-test-ports-${block}`).unref();
  return listens(server);
}

async function claimNextBlock(): Promise<boolean> {
  for (let tried = 0; tried < blocks; tried += 1) {
    const block = nextBlock;
    nextBlock = (nextBlock + 1) % blocks;
    if (!(await claim(block))) continue;
    unused.push(...Array.from({ length: blockSize }, (_, offset) => first + block * blockSize + offset));
    return true;
  }
  return false;
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  if (!(await listens(server))) return false;
  server.close();
  await once(server, "close");
  return true;
}

/** Two blocks let a test hold more ports than one block has, and leave enough for sixty other processes. */
const maxOwned = 2 * blockSize;

async function nextPort(): Promise<number> {
  if (unused.length === 0 && owned.length < maxOwned) {
    claiming ??= claimNextBlock().finally(() => {
      claiming = undefined;
    });
    await claiming;
  }
  const port = unused.shift() ?? owned.shift();
  if (port === undefined) throw new Error("every block of test ports belongs to another process");
  owned.push(port);
  return port;
}

/** A TCP port of 127.0.0.1 that nothing listens on, for a server that needs its port before it starts. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried <= maxOwned; tried += 1) {
    const port = await nextPort();
    if (await canListen(port)) return port;
  }
  throw new Error("no free port");
}
