import { closest, distance } from "fastest-levenshtein";

/** The nearest known name, or undefined if none is similar. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const near = closest(name, known);
  return distance(name, near) <= Math.max(2, Math.floor(name.length / 3)) ? near : undefined;
}
