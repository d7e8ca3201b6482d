import type { Socket } from "node:net";

/** A greeting is short; a server that sends more is not a mail server. */
const maxBytes = 16_384;

export function createLineReader(socket: Socket) {
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

export type LineReader = ReturnType<typeof createLineReader>;
