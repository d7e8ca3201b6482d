import { closest, distance } from "fastest-levenshtein";
import { messages } from "./messages.ts";

/** The nearest known name, or undefined if none is similar. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const near = closest(name, known);
  const atMost = Math.max(name.length < 4 ? 1 : 2, Math.floor(name.length / 3));
  return distance(name, near) <= atMost ? near : undefined;
}

/** A hint for a name that is not known, if it resembles one that is. */
export function didYouMean(name: string, known: readonly string[]): string | undefined {
  const near = nearestName(name, known);
  return near === undefined ? undefined : messages.didYouMean(near);
}

/** A problem or warning about one path. */
export interface Problem {
  readonly path: string;
  readonly reason: string;
  readonly hint?: string | undefined;
}

export type Report = (path: string, reason: string, hint?: string) => void;

/** `path: reason (hint)` */
export function formatProblem({ path, reason, hint }: Problem): string {
  return hint === undefined ? `${path}: ${reason}` : `${path}: ${reason} (${hint})`;
}

/** Collects problems; a path keeps only its first one, so that later rules do not report a wrong value again. */
export function createProblemList(): { readonly report: Report; readonly sorted: () => readonly Problem[] } {
  const byPath = new Map<string, Problem>();
  return {
    report: (path, reason, hint) => {
      if (!byPath.has(path)) byPath.set(path, { path, reason, hint });
    },
    sorted: () => [...byPath.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  };
}
