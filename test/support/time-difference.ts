/** Times of two kinds of request in milliseconds, measured in alternating order. */
export interface Times {
  readonly first: readonly number[];
  readonly second: readonly number[];
}

export interface Probes {
  readonly first: (index: number) => Promise<unknown>;
  readonly second: (index: number) => Promise<unknown>;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Sends pairs of requests whose order alternates, so that drift affects both kinds equally. */
export async function timesOf(pairs: number, { first, second }: Probes): Promise<Times> {
  const times = { first: [] as number[], second: [] as number[] };
  for (let index = 0; index < pairs; index += 1) {
    if (index % 2 === 0) times.first.push(await timed(() => first(index)));
    times.second.push(await timed(() => second(index)));
    if (index % 2 === 1) times.first.push(await timed(() => first(index)));
  }
  return times;
}

/**
 * The probability that a request of the second kind takes longer than one of the first (area under the ROC curve, from
 * the Mann-Whitney statistic): 0.5 if there is no difference.
 */
export function areaUnderCurve({ first, second }: Times): number {
  let sum = 0;
  for (const a of first) for (const b of second) sum += b > a ? 1 : b === a ? 0.5 : 0;
  return sum / (first.length * second.length);
}

/** How well an observer can distinguish the two kinds, whichever is slower: 0.5 (not at all) to 1 (always). */
export function distinguishability(times: Times): number {
  const area = areaUnderCurve(times);
  return Math.max(area, 1 - area);
}

/** Standard error of the area if there is no difference, for samples of equal size. */
export function standardError({ first }: Times): number {
  const n = first.length;
  return Math.sqrt((2 * n + 1) / (12 * n * n));
}

/**
 * What may remain: a known account's entry takes some 50 µs to send and to read, which is 0.03 of the area on a loopback without jitter and
 * nothing over a network. Beyond it, three standard errors: without a difference, one measurement in 370 is further away.
 */
export function tolerated(times: Times): number {
  return 0.53 + 3 * standardError(times);
}

/** Milliseconds that are added to each response of a backend, and how many pairs of requests are measured. */
export const backendDelays: readonly (readonly [delayMs: number, pairs: number])[] = [
  [0, 600],
  [30, 150],
  [150, 60],
];
