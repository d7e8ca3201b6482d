import { connect } from "node:net";
import { startTcpServer, type TcpServer } from "./tcp-server.ts";

/** A TCP proxy that can keep what clients send, so that a server is killed or a clock is set while it is awaited. */
export interface HoldingProxy extends TcpServer {
  /** From now on, each connection keeps the first piece of data that contains this text, and everything behind it. */
  hold(text: string): void;
  /** How many pieces with this text are kept. */
  held(): number;
  release(): void;
}

export async function startHoldingProxy(targetPort: number): Promise<HoldingProxy> {
  let wanted: string | undefined;
  let held = 0;
  let kept: (() => void)[] = [];
  const server = await startTcpServer((near) => {
    const far = connect(targetPort, "127.0.0.1");
    let keeping: string | undefined;
    far.on("error", () => near.destroy());
    near.on("close", () => far.destroy());
    far.pipe(near);
    near.on("data", (chunk: Buffer) => {
      if (wanted === undefined) {
        far.write(chunk);
        return;
      }
      const hasText = chunk.includes(wanted);
      if (hasText) keeping = wanted;
      if (hasText) held += 1;
      if (keeping === wanted) kept.push(() => void far.write(chunk));
      else far.write(chunk);
    });
  });
  return {
    ...server,
    hold: (text) => {
      wanted = text;
      held = 0;
    },
    held: () => held,
    release: () => {
      wanted = undefined;
      for (const forward of kept) forward();
      kept = [];
    },
  };
}
