export interface PromisedRow {
  /** The cells without the last one, separated by a colon. */
  readonly row: string;
  readonly tests: readonly string[];
}

/** The rows of all tables of `docs/contributing/promises.md`, each with the test files that its last column names. */
export function promisedRows(page: string): readonly PromisedRow[] {
  const rows = [...page.matchAll(/^\|(.+)\|$/gmu)].map(([, cells = ""]) => cells.split("|").map((cell) => cell.trim()));
  const bodies = rows.filter((cells) => cells.at(-1) !== "Test" && !cells.every((cell) => /^-+$/u.test(cell)));
  return bodies.map((cells) => ({
    row: cells.slice(0, -1).join(": "),
    tests: [...(cells.at(-1) ?? "").matchAll(/`([^`]+)`/gu)].map(([, path = ""]) => path),
  }));
}
