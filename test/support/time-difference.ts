/** Times of two kinds of request, in milliseconds, of which neither always came first. */
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

/** One request after the other, in pairs whose order changes from pair to pair: what drifts meets both kinds alike. */
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
 * the Mann-Whitney statistic): 0.5 for an observer who can tell nothing.
 */
export function areaUnderCurve({ first, second }: Times): number {
  let sum = 0;
  for (const a of first) for (const b of second) sum += b > a ? 1 : b === a ? 0.5 : 0;
  return sum / (first.length * second.length);
}

/** How well an observer tells the two apart, whichever is the slower one. */
export function tellsApart(times: Times): number {
  const area = areaUnderCurve(times);
  return Math.max(area, 1 - area);
}

/** Standard error of the area where there is no difference; for samples of equal size. */
export function standardError({ first }: Times): number {
  const n = first.length;
  return Math.sqrt((2 * n + 1) / (12 * n * n));
}
