import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";

/** A client of a line protocol. It sends lines and reads the responses one by one. */
export interface LineClient extends AsyncDisposable {
  send(line: string): void;
  /** The next line without its line break; undefined if the server has closed the connection. */
  next(): Promise<string | undefined>;
  /** Reads lines until one matches the pattern. */
  until(pattern: RegExp): Promise<string>;
}

function linesOf(socket: Socket, timeoutMs: number): () => Promise<string | undefined> {
  let pending = "";
  let ended = false;
  let wake: (() => void) | undefined;
  socket.setTimeout(timeoutMs, () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    pending += chunk.toString("utf8");
    wake?.();
  });
  socket.on("error", () => undefined);
  socket.on("close", () => {
    ended = true;
    wake?.();
  });
  return async () => {
    for (;;) {
      const end = pending.indexOf("\r\n");
      if (end !== -1) {
        const line = pending.slice(0, end);
        pending = pending.slice(end + 2);
        return line;
      }
      if (ended) return undefined;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
}

export async function connectLines(port: number, tls?: ConnectionOptions): Promise<LineClient> {
  const target = { port, host: "127.0.0.1" };
  const socket = tls === undefined ? connect(target) : connectTls({ ...target, ...tls });
  await once(socket, tls === undefined ? "connect" : "secureConnect");
  const next = linesOf(socket, 60_000);
  return {
    send: (line) => void socket.write(`${line}\r\n`),
    next,
    until: async (pattern) => {
      for (;;) {
        const line = await next();
        if (line === undefined) throw new Error(`the connection closed before ${String(pattern)}`);
        if (pattern.test(line)) return line;
      }
    },
    [Symbol.asyncDispose]: async () => {
      if (socket.closed) return;
      socket.destroy();
      await once(socket, "close");
    },
  };
}
