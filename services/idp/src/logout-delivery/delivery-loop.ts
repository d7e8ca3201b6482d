import { type Clock, steadyClock } from "@postern/shared/platform/time";

interface Recipient<Message> {
  running: number;
  readonly waiting: { readonly message: Message; readonly untilMs: number }[];
}

/** A recipient that does not respond occupies these places until the timeout, and the others remain for other recipients. */
const maxAtOnceEach = 8;
/** Messages that wait in memory for one recipient; further ones are left to their lease. */
const maxWaitingEach = 250;

/**
 * Gives each recipient its share of the places.
 * @param start resolves when the attempt has ended; never rejects.
 */
function createRecipients<Message>(
  start: (message: Message) => Promise<void>,
  maxWaitMs: () => number,
  clock: Clock,
  closing: AbortSignal,
) {
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
    /** Starts the delivery now or when a delivery to the same recipient has ended. A message that waits too long is left to its lease. */
    deliver: (name: string, message: Message): void => {
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

export interface DeliveryLoopDeps<Message> {
  /** Claims at most `limit` messages that are due. A message that is not delivered is due again after its lease. */
  readonly claim: (limit: number) => Promise<readonly Message[]>;
  /** Makes one attempt and stores its result. */
  readonly deliver: (message: Message, closing: AbortSignal) => Promise<void>;
  readonly recipientOf: (message: Message) => string;
  /** How long a claimed message may wait for its attempt, so that the attempt ends within the lease. */
  readonly maxWaitMs: () => number;
  /** Called for the first of consecutive failures to claim messages or to store results. */
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

const claimEveryMs = 1000;
/** Replicas that claimed in step would leave a message always to the same one, which may not know its recipient. */
const claimDelayMs = (): number => claimEveryMs * (0.75 + Math.random() / 2);
const maxAtOnce = 64;

function createDeliveries<Message>(deps: DeliveryLoopDeps<Message>, closing: AbortSignal) {
  const { claim, deliver, recipientOf, maxWaitMs, onError, clock = steadyClock } = deps;
  const running = new Set<Promise<void>>();
  let isFailing = false;
  const fail = (error: unknown): void => {
    if (!isFailing) onError(error);
    isFailing = true;
  };
  const succeed = (): void => {
    isFailing = false;
  };
  const start = (message: Message): Promise<void> => {
    const delivery = deliver(message, closing)
      .then(succeed, fail)
      .finally(() => running.delete(delivery));
    running.add(delivery);
    return delivery;
  };
  const recipients = createRecipients<Message>(start, maxWaitMs, clock, closing);
  const startDue = async (): Promise<void> => {
    while (!closing.aborted) {
      if (running.size === maxAtOnce) {
        await Promise.race(running);
        continue;
      }
      const places = maxAtOnce - running.size;
      const claimed = await claim(places);
      if (claimed.length === 0) succeed();
      for (const message of claimed) recipients.deliver(recipientOf(message), message);
      if (claimed.length < places) return;
    }
  };
  return {
    /** Starts the delivery of everything that is due, as places become free, and does not wait for the last deliveries. */
    startDue: () => startDue().catch(fail),
    ended: () => Promise.all(running),
  };
}

/** Delivers logout messages on every replica: the replica that claims a message delivers it. */
export function createDeliveryLoop<Message>(deps: DeliveryLoopDeps<Message>) {
  const closing = new AbortController();
  const deliveries = createDeliveries(deps, closing.signal);
  let timer: NodeJS.Timeout | undefined;
  let claiming: Promise<void> = Promise.resolve();
  let isClaiming = false;
  let isWanted = false;

  const claimAndWait = async (): Promise<void> => {
    isClaiming = true;
    isWanted = false;
    await deliveries.startDue();
    isClaiming = false;
    if (closing.signal.aborted) return;
    timer = setTimeout(run, isWanted ? 0 : claimDelayMs());
    timer.unref();
  };
  const run = (): void => {
    claiming = claimAndWait();
  };
  return {
    start: run,
    /** A message is due: claims immediately. */
    wake: (): void => {
      isWanted = true;
      if (isClaiming || closing.signal.aborted || timer === undefined) return;
      clearTimeout(timer);
      run();
    },
    close: async (): Promise<void> => {
      closing.abort();
      clearTimeout(timer);
      await claiming;
      await deliveries.ended();
    },
  };
}

export type DeliveryLoop = ReturnType<typeof createDeliveryLoop>;
