/** µs on a core per request that a row takes more than another, from windows that were taken in turn. */
export interface Added<Id extends string = string> {
  readonly to: Id;
  readonly micros: number;
  /** Half of the rounds lie within so much of it. */
  readonly spread: number;
}

/** What is compared of a window. */
export interface Window<Id extends string> {
  readonly id: Id;
  readonly cpuMicros: { readonly total: number };
}

function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0];
  return below + (above - below) * (place % 1);
}

/** Round by round, so that what slows both down does not count; the median of the rounds. */
export function addedTo<Id extends string>(first: readonly Window<Id>[], other: readonly Window<string>[]): Added<Id> {
  const [base] = first;
  if (base === undefined || first.length !== other.length) throw new Error("rows of other rounds");
  const differences = other
    .map(({ cpuMicros }, round) => cpuMicros.total - (first[round]?.cpuMicros.total ?? 0))
    .toSorted((a, b) => a - b);
  const micros = quantile(differences, 0.5);
  const distances = differences.map((difference) => Math.abs(difference - micros)).toSorted((a, b) => a - b);
  return { to: base.id, micros, spread: quantile(distances, 0.5) };
}
