import { connect, type Socket } from "node:net";
import { startTcpServer, type TcpServer } from "./tcp-server.ts";

/** A TCP proxy that behaves like a link between two data centres. */
export interface LinkProxy extends TcpServer {
  /** Every piece of data takes this long in each direction, plus a random time below `jitterMs`; its order remains. */
  delay(ms: number, jitterMs?: number): void;
  /** Nothing arrives any more, new connections included. What is sent arrives after `restore`, as TCP repeats it. */
  cut(): void;
  restore(): void;
  /** Ends all connections. */
  reset(): void;
}

interface Way {
  delayMs: number;
  jitterMs: number;
  /** Present while the link is cut; resolves when it returns. */
  cut: PromiseWithResolvers<void> | undefined;
}

/** Forwards in order: a piece waits for its own time, and for those before it. */
function forward(from: Socket, to: Socket, way: Way): void {
  let before = Promise.resolve();
  from.on("data", (chunk: Buffer) => {
    const dueMs = performance.now() + way.delayMs + Math.random() * way.jitterMs;
    before = before.then(async () => {
      const waitMs = dueMs - performance.now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      await way.cut?.promise;
      if (!to.destroyed) to.write(chunk);
    });
  });
  from.on("error", () => to.destroy());
  from.on("close", () => to.destroy());
}

export async function startLinkProxy(targetPort: number): Promise<LinkProxy> {
  const way: Way = { delayMs: 0, jitterMs: 0, cut: undefined };
  const open = new Set<Socket>();
  const server = await startTcpServer((near) => {
    const far = connect(targetPort, "127.0.0.1");
    near.setNoDelay(true);
    far.setNoDelay(true);
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on("close", () => open.delete(socket));
    }
    forward(near, far, way);
    forward(far, near, way);
  });
  const restore = (): void => {
    way.cut?.resolve();
    way.cut = undefined;
  };
  return {
    port: server.port,
    delay: (ms, jitterMs = 0) => {
      way.delayMs = ms;
      way.jitterMs = jitterMs;
    },
    cut: () => {
      way.cut ??= Promise.withResolvers();
    },
    restore,
    reset: () => {
      for (const socket of open) socket.destroy();
    },
    [Symbol.asyncDispose]: async () => {
      restore();
      for (const socket of open) socket.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}
