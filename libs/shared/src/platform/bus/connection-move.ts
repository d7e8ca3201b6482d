import type { MsgHdrs } from "@nats-io/transport-node";

export interface HeldMessage {
  readonly subject: string;
  readonly bytes: Uint8Array;
  readonly reply: string | undefined;
  readonly headers: MsgHdrs | undefined;
}

/** A planned change from one NATS server to another. What is published in the meantime is held, so that nothing fails. */
export interface ConnectionMove {
  readonly isUnderWay: () => boolean;
  readonly begin: () => void;
  /** @throws Error if more is held than a move of usual length needs */
  readonly hold: (message: HeldMessage) => void;
  /** Returns what was held, in order. */
  readonly end: () => readonly HeldMessage[];
}

/** A move takes some milliseconds. After this time, no server accepts the connection. */
const maxMs = 2000;
const maxHeldBytes = 16 * 1024 * 1024;

/** @param onGivenUp called after two seconds without a connection; what was held is dropped */
export function createConnectionMove(onGivenUp: () => void): ConnectionMove {
  let held: HeldMessage[] | undefined;
  let heldBytes = 0;
  let timer: NodeJS.Timeout | undefined;
  const end = (): readonly HeldMessage[] => {
    const messages = held ?? [];
    clearTimeout(timer);
    held = undefined;
    heldBytes = 0;
    return messages;
  };
  return {
    isUnderWay: () => held !== undefined,
    begin: () => {
      if (held !== undefined) return;
      held = [];
      timer = setTimeout(() => {
        end();
        onGivenUp();
      }, maxMs);
      timer.unref();
    },
    hold: ({ bytes, ...message }) => {
      if (heldBytes + bytes.length > maxHeldBytes) throw new Error("too much was published during a change of servers");
      heldBytes += bytes.length;
      // The encoder reuses its buffer.
      held?.push({ ...message, bytes: Uint8Array.from(bytes) });
    },
    end,
  };
}
