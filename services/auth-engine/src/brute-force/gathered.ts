interface Waiting<Answer> {
  readonly resolve: (answer: Answer | undefined) => void;
  readonly reject: (reason: unknown) => void;
}

/** Answers in the order of the items; an error is that of one item alone. Undefined: nobody could be asked. */
export type Ask<Item, Answer> = (items: readonly Item[]) => Promise<readonly (Answer | Error)[] | undefined>;

/**
 * Asks for all items of one turn of the event loop together, at most so many at once: a message of the bus brings many
 * attempts.
 */
export function createGathered<Item, Answer>(
  ask: Ask<Item, Answer>,
  most: number,
): (item: Item) => Promise<Answer | undefined> {
  let items: Item[] = [];
  let waiting: Waiting<Answer>[] = [];
  const send = (): void => {
    const asked = items;
    const askers = waiting;
    items = [];
    waiting = [];
    if (asked.length === 0) return;
    const reject = (reason: unknown): void => {
      for (const asker of askers) asker.reject(reason);
    };
    ask(asked).then((answers) => {
      askers.forEach((asker, index) => {
        const answer = answers?.[index];
        if (answers === undefined) asker.resolve(undefined);
        else if (answer === undefined) asker.reject(new RangeError("an answer is missing"));
        else if (answer instanceof Error) asker.reject(answer);
        else asker.resolve(answer);
      });
    }, reject);
  };
  return (item) =>
    new Promise((resolve, reject) => {
      items.push(item);
      waiting.push({ resolve, reject });
      if (items.length >= most) send();
      // After the promises that this turn settles: they bring more.
      else if (items.length === 1) process.nextTick(send);
    });
}
