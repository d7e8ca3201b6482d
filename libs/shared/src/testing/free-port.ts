import { once } from "node:events";
import { createServer } from "node:net";
import { pid } from "node:process";

/** Below what Linux gives to outgoing connections (32768 and up): none of those can take a port before its server does. */
const first = 20_000;
const blockSize = 64;
const blocks = 199;

let next = 0;

/** Each process goes through a block of its own, so that two test files do not choose the same port at once. */
function candidate(): number {
  const block = (pid + Math.floor(next / blockSize)) % blocks;
  const port = first + block * blockSize + (next % blockSize);
  next += 1;
  return port;
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

/** A TCP port of 127.0.0.1 that nothing listens on, for a server that is told its port before it starts. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < blockSize * blocks; tried += 1) {
    const port = candidate();
    if (await canListen(port)) return port;
  }
  throw new Error("no free port");
}
