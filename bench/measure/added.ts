/** Comparison of a row with another, from windows measured alternately. */
export interface Added<Id extends string = string> {
  readonly to: Id;
  /** Additional µs of CPU per request. */
  readonly micros: number;
  /** CPU per request, as a multiple. */
  readonly times: number;
  /** Requests per second, as a multiple. */
  readonly rate: number;
  /** Half of the rounds are within this distance of `micros`. */
  readonly spread: number;
}

/** The values of a window that are compared. */
export interface Window<Id extends string> {
  readonly id: Id;
  readonly requestsPerSecond: number;
  readonly cpuMicros: { readonly total: number };
}

function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0];
  return below + (above - below) * (place % 1);
}

function median(values: readonly number[]): number {
  return quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}

/** Compares round by round, so that what slows both down cancels out; returns the medians of the rounds. */
export function addedTo<Id extends string>(first: readonly Window<Id>[], other: readonly Window<string>[]): Added<Id> {
  const [base] = first;
  const pairs = first.flatMap((one, round) => {
    const beside = other[round];
    return beside === undefined ? [] : [{ one, beside }];
  });
  if (base === undefined || pairs.length !== other.length)
    throw new Error("the rows were measured in different rounds");
  const differences = pairs.map(({ one, beside }) => beside.cpuMicros.total - one.cpuMicros.total);
  const micros = median(differences);
  return {
    to: base.id,
    micros,
    times: median(pairs.map(({ one, beside }) => beside.cpuMicros.total / one.cpuMicros.total)),
    rate: median(pairs.map(({ one, beside }) => beside.requestsPerSecond / one.requestsPerSecond)),
    spread: median(differences.map((difference) => Math.abs(difference - micros))),
  };
}
