import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export interface TcpServer extends AsyncDisposable {
  readonly port: number;
}

/** A TCP server on a free port of 127.0.0.1. */
export async function startTcpServer(serve: (socket: Socket) => void): Promise<TcpServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
    serve(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no TCP address");
  return {
    port: address.port,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

export interface TcpRecorder extends TcpServer {
  /** The data of each connection, in the order of connecting. */
  readonly sent: readonly string[];
}

/** A proxy that forwards every connection and records what the client sent. */
export async function startTcpRecorder(targetPort: () => number): Promise<TcpRecorder> {
  const sent: string[] = [];
  const server = await startTcpServer((socket) => {
    const index = sent.push("") - 1;
    const onward = connect(targetPort(), "127.0.0.1");
    onward.on("error", () => socket.destroy());
    socket.on("data", (chunk: Buffer) => {
      sent[index] += chunk.toString("latin1");
    });
    socket.pipe(onward).pipe(socket);
  });
  return { ...server, sent };
}
