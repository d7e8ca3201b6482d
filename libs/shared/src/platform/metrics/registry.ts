import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { renderOpenMetrics } from "./open-metrics.ts";
import { type HistogramSeries, TalliedHistogram } from "./tallied-histogram.ts";

/** Every label has a closed set of values, so that no caller can create series. */
export type ClosedLabels = Readonly<Record<string, readonly string[]>>;

export type LabelValues<L extends ClosedLabels> = { readonly [K in keyof L]: L[K][number] };

export interface MetricOptions<L extends ClosedLabels> {
  readonly name: string;
  readonly help: string;
  readonly labels: L;
}

export interface ConfiguredCounterOptions<L extends ClosedLabels> extends MetricOptions<L> {
  /** The label whose values the configuration lists. */
  readonly configured: string;
}

interface GaugeOptions extends Omit<MetricOptions<{}>, "labels"> {
  readonly labels?: Readonly<Record<string, string>>;
  readonly read: () => number;
}

interface GaugeOfEachOptions extends Omit<MetricOptions<{}>, "labels"> {
  readonly label: string;
  readonly values: readonly string[];
  readonly read: (value: string) => number;
}

export interface CounterSeries {
  inc(amount?: number): void;
}

export type Metrics = ReturnType<typeof createMetrics>;

export interface Exposition {
  readonly type: string;
  readonly body: string;
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

type Counting = ReturnType<typeof createCounting>;

/** Sums up locally until the metrics are read, because prom-client looks up its series by label each time. */
function createCounting(add: (amount: number) => void) {
  let unreported = 0;
  return {
    inc: (amount = 1): void => {
      unreported += amount;
    },
    /** Reports what was counted since the last call. */
    report: (): void => {
      if (unreported === 0) return;
      add(unreported);
      unreported = 0;
    },
  };
}

/** The series of one counter. */
function createCountings<L extends ClosedLabels>(
  labels: L,
  childOf: (row: Record<string, string>) => Counter.Internal,
) {
  const all: Counting[] = [];
  const find: (labels: LabelValues<L>) => CounterSeries = resolveSeries(labels, (row) => {
    const child = childOf(row);
    child.inc(0);
    const counting = createCounting((amount) => child.inc(amount));
    all.push(counting);
    return counting;
  });
  const report = (): void => {
    for (const one of all) one.report();
  };
  return { find, report };
}

/** A counter with one label whose values a reload may change. */
function createConfiguredCounter<L extends ClosedLabels>(
  { name, help, labels, configured }: ConfiguredCounterOptions<L>,
  registers: Registry[],
) {
  const kept = new Map<string, ReturnType<typeof createCountings<L>>>();
  const collect = (): void => {
    for (const { report } of kept.values()) report();
  };
  const counter: Counter = new Counter({
    name,
    help,
    labelNames: [configured, ...Object.keys(labels)],
    registers,
    collect,
  });
  const add = (value: string): void =>
    void kept.set(
      value,
      createCountings(labels, (row) => counter.labels({ [configured]: value, ...row })),
    );
  const remove = (value: string): void => {
    kept.delete(value);
    for (const row of combinations(labels)) counter.remove({ ...row, [configured]: value });
  };
  return {
    /** The configured values: each has its series, and the series of former values are removed. */
    keep: (values: readonly string[]): void => {
      for (const former of kept.keys()) if (!values.includes(former)) remove(former);
      for (const value of values) if (!kept.has(value)) add(value);
    },
    /** Counts nothing for a value that is not configured. */
    inc: (value: string, row: LabelValues<L>): void => kept.get(value)?.find(row).inc(),
  };
}

function addGaugeOfEach(registers: Registry[], { name, help, label, values, read }: GaugeOfEachOptions): void {
  const collect = (): void => {
    for (const value of values) gauge.set({ [label]: value }, read(value));
  };
  const gauge: Gauge = new Gauge({ name, help, labelNames: [label], registers, collect });
}

/**
 * Metrics of one service. Series are created at start and handed out resolved, because looking one up by label is costly.
 *
 * @param activeTrace identifies the trace of what is being observed; absent if nothing is traced
 * @param hasProcess whether those of the process are among them; one service of a process has them
 */
export function createMetrics(activeTrace?: () => string | undefined, hasProcess = true) {
  const registry = new Registry();
  const registers = [registry];
  if (hasProcess) collectDefaultMetrics({ register: registry });
  return {
    counter: <L extends ClosedLabels>({
      name,
      help,
      labels,
    }: MetricOptions<L>): ((labels: LabelValues<L>) => CounterSeries) => {
      const collect = (): void => countings.report();
      const counter: Counter = new Counter({ name, help, labelNames: Object.keys(labels), registers, collect });
      const countings = createCountings(labels, (row) => counter.labels(row));
      return countings.find;
    },
    configuredCounter: <L extends ClosedLabels>(options: ConfiguredCounterOptions<L>) =>
      createConfiguredCounter(options, registers),
    histogram: <L extends ClosedLabels>({
      name,
      help,
      labels,
      buckets,
    }: MetricOptions<L> & { readonly buckets: readonly number[] }): ((labels: LabelValues<L>) => HistogramSeries) => {
      const histogram = new TalliedHistogram({
        name,
        help,
        labelNames: Object.keys(labels),
        buckets,
        registers,
        activeTrace,
      });
      return resolveSeries(labels, (row) => histogram.make(row));
    },
    /** A value that is computed when the metrics are read; its labels, if any, never change. */
    gauge: (options: GaugeOptions): void => {
      const { read, labels = {}, ...named } = options;
      const collect = (): void => gauge.set(labels, read());
      const gauge: Gauge = new Gauge({ ...named, labelNames: Object.keys(labels), registers, collect });
    },
    /** A gauge for each value of one label. */
    gaugeOfEach: (options: GaugeOfEachOptions): void => addGaugeOfEach(registers, options),
    /** All metrics in the text exposition format. */
    expose: (): Promise<string> => registry.metrics(),
    /** All metrics for a scraper with this `Accept` header: in OpenMetrics, with exemplars, if there are any and it reads them. */
    exposeTo: async (accept: string | undefined): Promise<Exposition> =>
      activeTrace !== undefined && accept?.includes("application/openmetrics-text") === true
        ? { type: Registry.OPENMETRICS_CONTENT_TYPE, body: renderOpenMetrics(await registry.getMetricsAsJSON()) }
        : { type: registry.contentType, body: await registry.metrics() },
  };
}
