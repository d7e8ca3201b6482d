import type { Socket } from "node:net";

/** A greeting is short; what sends more is no mail server. */
const maxBytes = 16_384;

export interface LineReader {
  /** Lines up to the first that `isLast`, that one included. Rejects when the connection ends or too much was said. */
  until(isLast: (line: string) => boolean): Promise<string>;
  /** Takes its listeners away; what was read and not asked for is an error, as before a TLS handshake. */
  detach(): void;
}

export function createLineReader(socket: Socket): LineReader {
  let text = "";
  let failure: Error | undefined;
  let wake: (() => void) | undefined;
  const onData = (chunk: Buffer): void => {
    text += chunk.toString("latin1");
    if (text.length > maxBytes) failure = new Error("more than a greeting");
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
    until: async (isLast) => {
      for (;;) {
        const line = await nextLine();
        if (isLast(line)) return line;
      }
    },
    detach: () => {
      socket.off("data", onData).off("close", onEnd).off("end", onEnd);
      if (text !== "") throw new Error("text after the consent to TLS");
    },
  };
}
