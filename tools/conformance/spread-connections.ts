import { once } from "node:events";
import { connect, createServer } from "node:net";

/** Forwards each connection to the next of some ports, as a load balancer does. */
export async function spreadConnections(port: number, targets: readonly number[]): Promise<AsyncDisposable> {
  let turn = 0;
  const sockets = new Set<{ destroy(): unknown }>();
  const server = createServer((client) => {
    const target = connect({ host: "127.0.0.1", port: targets[turn % targets.length] ?? 0 });
    turn += 1;
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => void (sockets.delete(socket), other.destroy()));
      socket.pipe(other);
    }
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
