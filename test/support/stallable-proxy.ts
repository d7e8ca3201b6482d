import { connect, type Socket } from "node:net";
import { startTcpServer } from "./tcp-server.ts";

/** A TCP proxy that can turn into a black hole: it goes on accepting, and no byte passes. */
export interface StallableProxy extends AsyncDisposable {
  readonly port: number;
  stall(): void;
  /** What was stalled stays so, as after a network that came back without the old connections. */
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
