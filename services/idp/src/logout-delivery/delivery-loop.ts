import { type Clock, steadyClock } from "@postern/shared/platform/time";
import { createRecipients } from "./recipients.ts";

/** Delivers logout messages on every replica: the replica that claims a message delivers it. */
export interface DeliveryLoop {
  start(): void;
  /** A message is due: claims immediately. */
  wake(): void;
  close(): Promise<void>;
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

/** The deliveries in progress. */
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
  const recipients = createRecipients<Message>({ start, maxWaitMs, clock, closing });
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

export function createDeliveryLoop<Message>(deps: DeliveryLoopDeps<Message>): DeliveryLoop {
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
    wake: () => {
      isWanted = true;
      if (isClaiming || closing.signal.aborted || timer === undefined) return;
      clearTimeout(timer);
      run();
    },
    close: async () => {
      closing.abort();
      clearTimeout(timer);
      await claiming;
      await deliveries.ended();
    },
  };
}
