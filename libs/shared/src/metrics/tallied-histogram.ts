import type { Histogram } from "prom-client";

export interface HistogramSeries {
  /** In the unit that the metric's name tells. */
  observe(value: number): void;
}

/** What prom-client keeps of a series. */
interface SeriesValues {
  readonly labels: Readonly<Record<string, string>>;
  readonly bucketValues: Readonly<Record<string, number>>;
  readonly sum: number;
  readonly count: number;
}

interface Tally extends HistogramSeries {
  /** Undefined before the first observation: a series of nothing is not shown. */
  values(): SeriesValues | undefined;
}

function createTally(labels: Record<string, string>, buckets: readonly number[]): Tally {
  const counts = buckets.map(() => 0);
  let sum = 0;
  let count = 0;
  return {
    observe: (value) => {
      if (!Number.isFinite(value)) throw new TypeError(`not a number to observe: ${value}`);
      let index = 0;
      for (const bound of buckets) {
        if (value <= bound) {
          counts[index] = (counts[index] ?? 0) + 1;
          break;
        }
        index += 1;
      }
      sum += value;
      count += 1;
    },
    values: () =>
      count === 0
        ? undefined
        : {
            labels,
            bucketValues: Object.fromEntries(buckets.map((bound, index) => [bound, counts[index] ?? 0])),
            sum,
            count,
          },
  };
}

/** The series of one histogram, counted here. */
export interface Tallies {
  readonly make: (labels: Record<string, string>) => HistogramSeries;
  /** Puts them where `histogram` reads its own. */
  readonly tell: (histogram: Histogram) => void;
}

/**
 * prom-client checks the labels of each observation and looks its series up by a text of them, which costs more than
 * the counting. Its series get our counts when they are read; `hashMap` is not in its types, the test reads the text.
 */
export function createTallies(buckets: readonly number[]): Tallies {
  const tallies: Tally[] = [];
  return {
    make: (labels) => {
      const tally = createTally(labels, buckets);
      tallies.push(tally);
      return tally;
    },
    tell: (histogram) => {
      const told = tallies.flatMap((tally) => tally.values() ?? []);
      Reflect.set(histogram, "hashMap", Object.fromEntries(told.map((values, index) => [`series ${index}`, values])));
    },
  };
}
