/** One thing that is wrong, or odd, at one path. */
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

/** Collects problems; a path keeps its first one, so that a wrong value is not blamed again by a later rule. */
export function createProblemList(): { readonly report: Report; readonly sorted: () => readonly Problem[] } {
  const byPath = new Map<string, Problem>();
  return {
    report: (path, reason, hint) => {
      if (!byPath.has(path)) byPath.set(path, { path, reason, hint });
    },
    sorted: () => [...byPath.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  };
}
