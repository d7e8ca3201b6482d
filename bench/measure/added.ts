/** One value per round. */
export interface Figure {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

/** Comparison of a row with another, from windows measured alternately. */
export interface Added<Id extends string = string> {
  readonly to: Id;
  /** Additional µs of CPU per request. */
  readonly micros: Figure;
  /** Additional µs of the engine. */
  readonly engineMicros: Figure;
  /** CPU per request, as a multiple. */
  readonly times: Figure;
  /** Requests per second, as a multiple. */
  readonly rate: Figure;
  /** Latencies, as multiples. */
  readonly p50: Figure;
  readonly p99: Figure;
}

/** The values of a window that are compared. */
export interface Window<Id extends string> {
  readonly id: Id;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMicros: { readonly total: number; readonly engine: number };
}

export function figureOf(values: readonly number[]): Figure {
  const sorted = values.toSorted((a, b) => a - b);
  const [below, above] = [sorted[Math.floor((sorted.length - 1) / 2)] ?? 0, sorted[Math.floor(sorted.length / 2)] ?? 0];
  return { median: (below + above) / 2, lowest: sorted[0] ?? 0, highest: sorted.at(-1) ?? 0 };
}

/** Compares round by round, so that what slows both down cancels out; returns the median and the range of the rounds. */
export function addedTo<Id extends string>(first: readonly Window<Id>[], other: readonly Window<string>[]): Added<Id> {
  const [base] = first;
  const pairs = first.flatMap((one, round) => {
    const beside = other[round];
    return beside === undefined ? [] : [{ one, beside }];
  });
  if (base === undefined || pairs.length !== other.length)
    throw new Error("the rows were measured in different rounds");
  const ratio = (pick: (window: Window<string>) => number): Figure =>
    figureOf(pairs.map(({ one, beside }) => pick(beside) / pick(one)));
  const difference = (of: "total" | "engine"): Figure =>
    figureOf(pairs.map(({ one, beside }) => beside.cpuMicros[of] - one.cpuMicros[of]));
  return {
    to: base.id,
    micros: difference("total"),
    engineMicros: difference("engine"),
    times: ratio(({ cpuMicros }) => cpuMicros.total),
    rate: ratio(({ requestsPerSecond }) => requestsPerSecond),
    p50: ratio(({ p50Ms }) => p50Ms),
    p99: ratio(({ p99Ms }) => p99Ms),
  };
}
