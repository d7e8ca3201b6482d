import { once } from "node:events";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { within } from "@postern/shared/platform/concurrency";
import { type Dialogue, dialogueOf, type Exchange } from "./dialogues.ts";
import type { MailTarget } from "./target.ts";

/** PROXY protocol version 2, command LOCAL, no addresses: the proxy's own connection. */
const localProxyHeader = Buffer.from("0d0a0d0a000d0a515549540a20000000", "hex");

/** A greeting is short; a server that sends more is not a mail server. */
const maxBytes = 16_384;

function createLineReader(socket: Socket) {
  let text = "";
  let failure: Error | undefined;
  let wake: (() => void) | undefined;
  const onData = (chunk: Buffer): void => {
    text += chunk.toString("latin1");
    if (text.length > maxBytes) failure = new Error("server sent more than a greeting");
    wake?.();
  };
  const onEnd = (): void => {
    failure ??= new Error("connection closed");
    wake?.();
  };
  socket.on("data", onData).on("close", onEnd).on("end", onEnd);

  const nextLine = async (): Promise<string> => {
    for (;;) {
      const end = text.indexOf("\n");
      if (end !== -1) {
        const line = text.slice(0, end).replace(/\r$/, "");
        text = text.slice(end + 1);
        return line;
      }
      if (failure !== undefined) throw failure;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };

  return {
    /** Reads lines up to and including the first for which `isLast` is true. Rejects if the connection ends or the limit is exceeded. */
    until: async (isLast: (line: string) => boolean): Promise<string> => {
      for (;;) {
        const line = await nextLine();
        if (isLast(line)) return line;
      }
    },
    /** Removes its listeners. Data that was received but not expected is an error, because it could precede the TLS handshake. */
    detach: (): void => {
      socket.off("data", onData).off("close", onEnd).off("end", onEnd);
      if (text !== "") throw new Error("server sent data before the TLS handshake");
    },
  };
}

type LineReader = ReturnType<typeof createLineReader>;

async function exchange(socket: Socket, reader: LineReader, { send, isLast, isGood }: Exchange): Promise<void> {
  if (send !== "") socket.write(send);
  const line = await reader.until(isLast);
  if (!isGood(line)) throw new Error(`answered ${JSON.stringify(line.slice(0, 80))}`);
}

async function secured(socket: Socket, { host, skipVerify }: MailTarget): Promise<Socket> {
  const tls = connectTls({
    socket,
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    rejectUnauthorized: !skipVerify,
  });
  tls.on("error", () => undefined);
  socket.once("close", () => tls.destroy(new Error("connection closed during the TLS handshake")));
  await once(tls, "secureConnect");
  return tls;
}

async function greet(socket: Socket, target: MailTarget, dialogue: Dialogue): Promise<Socket> {
  const reader = createLineReader(socket);
  await exchange(socket, reader, dialogue.greeting);
  if (!target.startTls) return socket;
  for (const step of dialogue.startTls) await exchange(socket, reader, step);
  reader.detach();
  return secured(socket, target);
}

async function converse(socket: Socket, target: MailTarget): Promise<string> {
  await once(socket, "connect");
  const address = socket.remoteAddress ?? target.host;
  if (target.proxyHeader) socket.write(localProxyHeader);
  const dialogue = dialogueOf(target);
  const last = await greet(target.tls ? await secured(socket, target) : socket, target, dialogue);
  last.end(dialogue.quit);
  return address;
}

/** Connects to a server as a client would, up to its greeting. Resolves with the address that answered. */
export async function probeMailServer(target: MailTarget, timeoutMs: number): Promise<string> {
  const socket = connectTcp({ host: target.host, port: target.port, noDelay: true });
  const { promise: failed, reject } = Promise.withResolvers<never>();
  socket.on("error", reject);
  const conversation = converse(socket, target);
  try {
    const first = Promise.race([conversation, failed]);
    return await within(first, timeoutMs, () => new Error(`no greeting within ${timeoutMs} ms`));
  } finally {
    conversation.catch(() => undefined);
    // QUIT has already been written; unread data is dropped with the socket.
    socket.destroySoon();
    setTimeout(() => socket.destroy(), 1000).unref();
  }
}
