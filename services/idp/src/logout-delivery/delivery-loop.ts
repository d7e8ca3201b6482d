/** Delivers logout messages on every replica: the replica that claims a message delivers it. */
export interface DeliveryLoop {
  start(): void;
  /** A message is due: looks immediately. */
  wake(): void;
  close(): Promise<void>;
}

export interface DeliveryLoopDeps {
  /** Delivers everything that is due. */
  readonly look: (closing: AbortSignal) => Promise<void>;
  /** Called for the first of consecutive failures. */
  readonly onError: (error: unknown) => void;
}

const lookMs = 1000;

export function createDeliveryLoop({ look, onError }: DeliveryLoopDeps): DeliveryLoop {
  const closing = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let isLooking = false;
  let isWanted = false;
  let isFailing = false;

  const lookAndWait = async (): Promise<void> => {
    isLooking = true;
    isWanted = false;
    await look(closing.signal).then(
      () => (isFailing = false),
      (error: unknown) => {
        if (!isFailing) onError(error);
        isFailing = true;
      },
    );
    isLooking = false;
    if (closing.signal.aborted) return;
    timer = setTimeout(run, isWanted ? 0 : lookMs);
    timer.unref();
  };
  const run = (): void => {
    looking = lookAndWait();
  };
  return {
    start: run,
    wake: () => {
      isWanted = true;
      if (isLooking || closing.signal.aborted || timer === undefined) return;
      clearTimeout(timer);
      run();
    },
    close: async () => {
      closing.abort();
      clearTimeout(timer);
      await looking;
    },
  };
}
