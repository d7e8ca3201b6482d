import { Gauge, Histogram, type Registry } from "prom-client";
import { systemClock } from "../time/clock.ts";
import type { Exemplar } from "./open-metrics.ts";

export interface HistogramSeries {
  /** In the unit that the name of the metric states. */
  observe(value: number): void;
}

export interface HistogramOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly buckets: readonly number[];
  readonly registers: Registry[];
  /** The trace to which an observation belongs; absent if nothing is traced. */
  readonly activeTrace?: (() => string | undefined) | undefined;
}

interface ReportedValue {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly exemplar?: Exemplar | undefined;
}

interface Tally extends HistogramSeries {
  /** Complete before the first observation: `rate` would miss it in a series that begins with it. */
  values(name: string): ReportedValue[];
}

/** The latest traced observation of each bucket. */
type Exemplars = (Exemplar | undefined)[];

function noteExemplar(exemplars: Exemplars, index: number, value: number, traceId: string | undefined): void {
  if (traceId === undefined) return;
  exemplars[index] = { labelSet: { trace_id: traceId }, value, timestamp: systemClock.now() / 1000 };
}

function createTally(
  labels: Record<string, string>,
  buckets: readonly number[],
  activeTrace: HistogramOptions["activeTrace"],
): Tally {
  const exemplars: Exemplars = [];
  const counts = buckets.map(() => 0);
  let sum = 0;
  let count = 0;
  const cumulated = (name: string): ReportedValue[] => {
    let total = 0;
    return buckets.map((bound, index) => {
      total += counts[index] ?? 0;
      return {
        metricName: `${name}_bucket`,
        labels: { le: bound, ...labels },
        value: total,
        exemplar: exemplars[index],
      };
    });
  };
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
      if (activeTrace !== undefined) noteExemplar(exemplars, index, value, activeTrace());
    },
    values: (name) => [
      ...cumulated(name),
      {
        metricName: `${name}_bucket`,
        labels: { le: "+Inf", ...labels },
        value: count,
        exemplar: exemplars[buckets.length],
      },
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ],
  };
}

/**
 * A histogram that is counted here. prom-client checks the labels of each observation and finds its series by a text made
 * of them, which costs more than the counting. Registries read a metric through the public `get` only if it is not a
 * `Histogram`, therefore this is a `Gauge` that reports the name, help and type of an empty histogram.
 */
export class TalliedHistogram extends Gauge {
  readonly #tallies: Tally[] = [];
  readonly #options: HistogramOptions;
  readonly #empty: Histogram;

  constructor(options: HistogramOptions) {
    const { name, help, labelNames, registers } = options;
    super({ name, help, labelNames, registers });
    this.#options = options;
    this.#empty = new Histogram({ name, help, labelNames, registers: [] });
  }

  make(labels: Record<string, string>): HistogramSeries {
    const tally = createTally(labels, this.#options.buckets, this.#options.activeTrace);
    this.#tallies.push(tally);
    return tally;
  }

  override async get(): ReturnType<Histogram["get"]> {
    const values = this.#tallies.flatMap((tally) => tally.values(this.#options.name));
    return { ...(await this.#empty.get()), values };
  }
}
