import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { type HistogramSeries, TalliedHistogram } from "./tallied-histogram.ts";

/** Every label has a closed set of values, so that no caller can create series. */
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

/**
 * Metrics of one process. Series are created at start and handed out resolved, because looking one up by label is costly.
 */
export interface Metrics {
  counter<L extends ClosedLabels>(options: MetricOptions<L>): (labels: LabelValues<L>) => CounterSeries;
  histogram<L extends ClosedLabels>(
    options: MetricOptions<L> & { readonly buckets: readonly number[] },
  ): (labels: LabelValues<L>) => HistogramSeries;
  /** A value that is computed when the metrics are read. */
  gauge(options: { readonly name: string; readonly help: string; readonly read: () => number }): void;
  readonly contentType: string;
  /** All metrics in the text exposition format. */
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
 * Finds a series by the index of each value in its label's list. A key built from the values would be a new string per count, which V8
 * internalises in order to look it up in a Map.
 */
function resolveSeries<S>(
  labels: ClosedLabels,
  make: (row: Record<string, string>) => S,
): (labels: Readonly<Record<string, string>>) => S {
  const places = Object.entries(labels).map(([label, values]) => ({
    label,
    indexes: new Map(values.map((value, index) => [value, index])),
    count: values.length,
  }));
  const series = combinations(labels).map(make);
  return (row) => {
    let place = 0;
    for (const { label, indexes, count } of places)
      place = place * count + (indexes.get(row[label] ?? "") ?? Number.NaN);
    const found = series[place];
    if (found === undefined) throw new RangeError(`no series for ${JSON.stringify(row)}`);
    return found;
  };
}

interface Counting extends CounterSeries {
  /** Reports what was counted since the last call. */
  report(): void;
}

/** Sums up locally until the metrics are read, because prom-client looks up its series by label each time. */
function createCounting(hand: (amount: number) => void): Counting {
  let untold = 0;
  return {
    inc: (amount = 1) => {
      untold += amount;
    },
    report: () => {
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
        for (const one of series) one.report();
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
      const histogram = new TalliedHistogram({ name, help, labelNames: Object.keys(labels), buckets, registers });
      return resolveSeries(labels, (row) => histogram.make(row));
    },
    gauge: ({ name, help, read }) => {
      const gauge: Gauge = new Gauge({ name, help, registers, collect: () => gauge.set(read()) });
    },
    contentType: registry.contentType,
    expose: () => registry.metrics(),
  };
}
