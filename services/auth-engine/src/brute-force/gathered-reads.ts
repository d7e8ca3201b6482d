type Values = readonly (string | null)[];
export type ReadKeys = (keys: readonly string[]) => Promise<Values>;

/** What it needs of a client. */
interface Reader {
  readonly isCluster: boolean;
  mget(keys: string[]): Promise<(string | null)[]>;
}

interface Waiting {
  readonly first: number;
  readonly count: number;
  readonly resolve: (values: Values) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Reads of one turn of the event loop as one command: a message of the bus brings many attempts, and a command costs
 * more than a key. On a cluster keys lie in many slots, so that each read is a command of its own.
 */
export function createGatheredReads(redis: Reader): ReadKeys {
  if (redis.isCluster) return (keys) => redis.mget([...keys]);
  let keys: string[] = [];
  let waiting: Waiting[] = [];
  const send = (): void => {
    const readers = waiting;
    const asked = keys;
    keys = [];
    waiting = [];
    redis.mget(asked).then(
      (values) => {
        for (const { first, count, resolve } of readers) resolve(values.slice(first, first + count));
      },
      (reason: unknown) => {
        for (const { reject } of readers) reject(reason);
      },
    );
  };
  return (wanted) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) queueMicrotask(send);
      waiting.push({ first: keys.length, count: wanted.length, resolve, reject });
      keys.push(...wanted);
    });
}
