import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface RawAnswer {
  /** 0 if the connection ended without a response. */
  readonly status: number;
  /** All received bytes, as Latin-1. */
  readonly text: string;
}

export interface RawConnection {
  readonly socket: Socket;
  send(bytes: string | Uint8Array): void;
  /** The text received so far. */
  received(): string;
  /** Resolves when the server closes the connection. */
  closed(): Promise<string>;
}

/** An idle connection is closed after this time, so that a test fails instead of waiting. */
const longestSilenceMs = 5000;

/** A TCP connection, to send what an HTTP client would not. */
export async function openRaw(port: number): Promise<RawConnection> {
  const socket = connect({ port, host: "127.0.0.1" });
  let text = "";
  socket.setEncoding("latin1");
  socket.on("data", (chunk) => {
    text += String(chunk);
  });
  const ended = new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
  });
  socket.on("error", () => undefined);
  socket.setTimeout(longestSilenceMs, () => socket.destroy());
  await once(socket, "connect");
  return {
    socket,
    send: (bytes) => void socket.write(bytes),
    received: () => text,
    closed: async () => {
      await ended;
      return text;
    },
  };
}

export function statusesIn(text: string): readonly number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
}

/** Sends bytes and reads until the server closes the connection. The request should contain `Connection: close`. */
export async function sendRaw(port: number, parts: readonly (string | Uint8Array)[]): Promise<RawAnswer> {
  const connection = await openRaw(port);
  for (const part of parts) connection.send(part);
  const text = await connection.closed();
  return { status: statusesIn(text).at(-1) ?? 0, text };
}
