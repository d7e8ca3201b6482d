import { closest, distance } from "fastest-levenshtein";

/** The known name that was probably meant, unless nothing is near. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const near = closest(name, known);
  return distance(name, near) <= Math.max(2, Math.floor(name.length / 3)) ? near : undefined;
}
