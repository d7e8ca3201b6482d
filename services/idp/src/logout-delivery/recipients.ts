import type { Clock } from "@postern/shared/platform/time";

export interface RecipientsDeps<Message> {
  /** Resolves when the attempt has ended; never rejects. */
  readonly start: (message: Message) => Promise<void>;
  readonly maxWaitMs: () => number;
  readonly clock: Clock;
  readonly closing: AbortSignal;
}

/** Gives each recipient its share of the places. */
export interface Recipients<Message> {
  /** Starts the delivery now or when a delivery to the same recipient has ended. A message that waits too long is left to its lease. */
  deliver(recipient: string, message: Message): void;
}

interface Waiting<Message> {
  readonly message: Message;
  readonly untilMs: number;
}

interface Recipient<Message> {
  running: number;
  readonly waiting: Waiting<Message>[];
}

/** A recipient that does not respond occupies these places until the timeout, and the others remain for other recipients. */
const maxAtOnceEach = 8;
/** Messages that wait in memory for one recipient; further ones are left to their lease. */
const maxWaitingEach = 250;

export function createRecipients<Message>(deps: RecipientsDeps<Message>): Recipients<Message> {
  const { start, maxWaitMs, clock, closing } = deps;
  const recipients = new Map<string, Recipient<Message>>();

  const nextOf = ({ waiting }: Recipient<Message>): Message | undefined => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (!closing.aborted && clock.now() < next.untilMs) return next.message;
    }
    return undefined;
  };
  const run = async (name: string, recipient: Recipient<Message>, first: Message): Promise<void> => {
    recipient.running += 1;
    for (let next: Message | undefined = first; next !== undefined; next = nextOf(recipient)) await start(next);
    recipient.running -= 1;
    if (recipient.running === 0) recipients.delete(name);
  };
  return {
    deliver: (name, message) => {
      const recipient = recipients.get(name) ?? { running: 0, waiting: [] };
      recipients.set(name, recipient);
      if (recipient.running < maxAtOnceEach) {
        void run(name, recipient, message);
      } else if (recipient.waiting.length < maxWaitingEach) {
        recipient.waiting.push({ message, untilMs: clock.now() + maxWaitMs() });
      }
    },
  };
}
