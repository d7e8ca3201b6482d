import { connect, type Socket } from "node:net";
import { startTcpServer } from "./tcp-server.ts";

/** A TCP proxy that can stall: it still accepts connections, but forwards nothing. */
export interface StallableProxy extends AsyncDisposable {
  readonly port: number;
  stall(): void;
  /** Serves new connections again. Stalled connections remain stalled, as after a network outage. */
  resume(): void;
}

export async function startStallableProxy(targetPort: number): Promise<StallableProxy> {
  let isStalled = false;
  const open = new Set<Socket>();
  const server = await startTcpServer((near) => {
    if (isStalled) return;
    const far = connect({ port: targetPort, host: "127.0.0.1" });
    open.add(far);
    near.pipe(far).pipe(near);
    far.on("error", () => near.destroy());
    near.on("error", () => far.destroy());
    near.on("close", () => far.destroy());
    far.on("close", () => {
      open.delete(far);
      near.destroy();
    });
    stalled.set(near, far);
  });
  const stalled = new Map<Socket, Socket>();
  return {
    port: server.port,
    stall: () => {
      isStalled = true;
      for (const [near, far] of stalled) {
        near.unpipe(far);
        far.unpipe(near);
        near.pause();
        far.pause();
      }
      stalled.clear();
    },
    resume: () => {
      isStalled = false;
    },
    [Symbol.asyncDispose]: async () => {
      for (const far of open) far.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}
