import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { Program } from "./programs.ts";

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ port, host: "127.0.0.1", exclusive: true });
    await once(server, "listening");
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

/** Ports that another program uses, each with the name of our program that needs it. */
export async function takenPorts(programs: readonly Program[]): Promise<readonly { port: number; name: string }[]> {
  const wanted = programs.flatMap(({ name, ports }) => ports.map((port) => ({ port, name })));
  const free = await Promise.all(wanted.map(({ port }) => isFree(port)));
  return wanted.filter((_, index) => free[index] === false);
}

export async function accepts(port: number): Promise<boolean> {
  const socket = connect({ port, host: "127.0.0.1" });
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(1000) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

export async function answersReady(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(1000) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}
