interface Waiting<Answer> {
  readonly resolve: (answer: Answer | undefined) => void;
  readonly reject: (reason: unknown) => void;
}

/** Answers in the order of the items; an error concerns its item only. Undefined if the store is unavailable. */
export type RunBatch<Item, Answer> = (items: readonly Item[]) => Promise<readonly (Answer | Error)[] | undefined>;

export interface BatchLimits {
  readonly maxBatchSize: number;
  /**
   * Items that come while a batch is being answered wait for its answer, unless they fill a batch: a batch leaves immediately if the store is
   * idle, and grows with the load. Default: they leave at the end of their turn.
   */
  readonly gathersBehind?: boolean;
}

/** Queries all items of one turn of the event loop together, up to a limit: one bus message brings many attempts. */
export function createBatched<Item, Answer>(
  ask: RunBatch<Item, Answer>,
  { maxBatchSize, gathersBehind = false }: BatchLimits,
): (item: Item) => Promise<Answer | undefined> {
  let items: Item[] = [];
  let waiting: Waiting<Answer>[] = [];
  let underway = 0;
  let isScheduled = false;
  // Runs after the promises of this turn have settled, because they add more items.
  const schedule = (): void => {
    if (isScheduled || items.length === 0 || (gathersBehind && underway > 0)) return;
    isScheduled = true;
    process.nextTick(() => {
      isScheduled = false;
      send();
    });
  };
  const answered = (): void => {
    underway -= 1;
    schedule();
  };
  const send = (): void => {
    const batch = items;
    const askers = waiting;
    items = [];
    waiting = [];
    if (batch.length === 0) return;
    underway += 1;
    ask(batch).then(
      (answers) => {
        answered();
        askers.forEach((asker, index) => {
          const answer = answers?.[index];
          if (answers === undefined) asker.resolve(undefined);
          else if (answer === undefined) asker.reject(new RangeError("a reply is missing"));
          else if (answer instanceof Error) asker.reject(answer);
          else asker.resolve(answer);
        });
      },
      (reason: unknown) => {
        answered();
        for (const asker of askers) asker.reject(reason);
      },
    );
  };
  return (item) =>
    new Promise((resolve, reject) => {
      items.push(item);
      waiting.push({ resolve, reject });
      if (items.length >= maxBatchSize) send();
      else schedule();
    });
}
