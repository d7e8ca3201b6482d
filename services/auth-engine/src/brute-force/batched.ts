interface Waiting<Answer> {
  readonly resolve: (answer: Answer | undefined) => void;
  readonly reject: (reason: unknown) => void;
}

/** Answers in the order of the items; an error concerns its item only. Undefined if the store is unavailable. */
export type RunBatch<Item, Answer> = (items: readonly Item[]) => Promise<readonly (Answer | Error)[] | undefined>;

/** Queries all items of one turn of the event loop together, up to a limit: one bus message brings many attempts. */
export function createBatched<Item, Answer>(
  ask: RunBatch<Item, Answer>,
  maxBatchSize: number,
): (item: Item) => Promise<Answer | undefined> {
  let items: Item[] = [];
  let waiting: Waiting<Answer>[] = [];
  const send = (): void => {
    const batch = items;
    const askers = waiting;
    items = [];
    waiting = [];
    if (batch.length === 0) return;
    const reject = (reason: unknown): void => {
      for (const asker of askers) asker.reject(reason);
    };
    ask(batch).then((answers) => {
      askers.forEach((asker, index) => {
        const answer = answers?.[index];
        if (answers === undefined) asker.resolve(undefined);
        else if (answer === undefined) asker.reject(new RangeError("a reply is missing"));
        else if (answer instanceof Error) asker.reject(answer);
        else asker.resolve(answer);
      });
    }, reject);
  };
  return (item) =>
    new Promise((resolve, reject) => {
      items.push(item);
      waiting.push({ resolve, reject });
      if (items.length >= maxBatchSize) send();
      // Runs after the promises of this turn have settled, because they add more items.
      else if (items.length === 1) process.nextTick(send);
    });
}
