import { connect } from "node:net";
import { startTcpServer, type TcpServer } from "./tcp-server.ts";

/** A TCP proxy that delays what the server sends by a constant time. */
export interface DelayingProxy extends TcpServer {
  /** Delays everything that the server sends from now on by this number of milliseconds. */
  delay(ms: number): void;
}

/** @param watch called for each connection; what it returns receives what the client sends */
export async function startDelayingProxy(
  targetPort: number,
  watch: () => (chunk: Buffer) => void = () => () => undefined,
): Promise<DelayingProxy> {
  let delayMs = 0;
  const server = await startTcpServer((near) => {
    const far = connect(targetPort, "127.0.0.1");
    // Otherwise the second of two packets would wait 40 ms for the client's acknowledgement, which no LDAP server lets it do.
    near.setNoDelay(true);
    far.setNoDelay(true);
    const seen = watch();
    far.on("error", () => near.destroy());
    far.on("close", () => near.destroy());
    near.on("close", () => far.destroy());
    near.on("data", (chunk: Buffer) => {
      seen(chunk);
      far.write(chunk);
    });
    far.on("data", (chunk: Buffer) => {
      if (delayMs === 0) near.write(chunk);
      // Timers of one length end in the order in which they were set.
      else setTimeout(() => near.write(chunk), delayMs);
    });
  });
  return {
    ...server,
    delay: (ms) => {
      delayMs = ms;
    },
  };
}
