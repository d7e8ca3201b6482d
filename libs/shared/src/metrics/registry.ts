import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { createTallies, type HistogramSeries } from "./tallied-histogram.ts";

/** Every label has a closed set of values, so that no caller can make series (design rule 10). */
export type ClosedLabels = Readonly<Record<string, readonly string[]>>;

export type LabelValues<L extends ClosedLabels> = { readonly [K in keyof L]: L[K][number] };

export interface MetricOptions<L extends ClosedLabels> {
  readonly name: string;
  readonly help: string;
  readonly labels: L;
}

export interface CounterSeries {
  inc(amount?: number): void;
}

/** Metrics of one process: series are made at start, once, and handed out resolved, as a look-up by label costs. */
export interface Metrics {
  counter<L extends ClosedLabels>(options: MetricOptions<L>): (labels: LabelValues<L>) => CounterSeries;
  histogram<L extends ClosedLabels>(
    options: MetricOptions<L> & { readonly buckets: readonly number[] },
  ): (labels: LabelValues<L>) => HistogramSeries;
  /** A value that is asked for when the metrics are read. */
  gauge(options: { readonly name: string; readonly help: string; readonly read: () => number }): void;
  readonly contentType: string;
  /** The text exposition of everything. */
  expose(): Promise<string>;
}

function combinations(labels: ClosedLabels): readonly Record<string, string>[] {
  let rows: readonly Record<string, string>[] = [{}];
  for (const [label, values] of Object.entries(labels)) {
    rows = rows.flatMap((row) => values.map((value) => ({ ...row, [label]: value })));
  }
  return rows;
}

/**
 * Finds a series by the place of each value among its label's own: a key made of the values would be a new string for
 * each count, which V8 takes up into its table of strings to look it up in a Map.
 */
function resolveSeries<S>(
  labels: ClosedLabels,
  make: (row: Record<string, string>) => S,
): (labels: Readonly<Record<string, string>>) => S {
  const places = Object.entries(labels).map(([label, values]) => ({
    label,
    nths: new Map(values.map((value, nth) => [value, nth])),
    count: values.length,
  }));
  const series = combinations(labels).map(make);
  return (row) => {
    let place = 0;
    for (const { label, nths, count } of places) place = place * count + (nths.get(row[label] ?? "") ?? Number.NaN);
    const found = series[place];
    if (found === undefined) throw new RangeError(`no series for ${JSON.stringify(row)}`);
    return found;
  };
}

interface Counting extends CounterSeries {
  /** Hands over what was counted since the last time. */
  tell(): void;
}

/** A sum of its own until the metrics are read: prom-client looks its series up by label each time. */
function createCounting(hand: (amount: number) => void): Counting {
  let untold = 0;
  return {
    inc: (amount = 1) => {
      untold += amount;
    },
    tell: () => {
      if (untold === 0) return;
      hand(untold);
      untold = 0;
    },
  };
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    counter: ({ name, help, labels }) => {
      const series: Counting[] = [];
      const collect = (): void => {
        for (const one of series) one.tell();
      };
      const counter: Counter = new Counter({ name, help, labelNames: Object.keys(labels), registers, collect });
      return resolveSeries(labels, (row) => {
        const child = counter.labels(row);
        child.inc(0);
        const counting = createCounting((amount) => child.inc(amount));
        series.push(counting);
        return counting;
      });
    },
    histogram: ({ name, help, labels, buckets }) => {
      const tallies = createTallies(buckets);
      const histogram: Histogram = new Histogram({
        name,
        help,
        labelNames: Object.keys(labels),
        buckets: [...buckets],
        registers,
        collect: () => tallies.tell(histogram),
      });
      return resolveSeries(labels, tallies.make);
    },
    gauge: ({ name, help, read }) => {
      const gauge: Gauge = new Gauge({ name, help, registers, collect: () => gauge.set(read()) });
    },
    contentType: registry.contentType,
    expose: () => registry.metrics(),
  };
}
