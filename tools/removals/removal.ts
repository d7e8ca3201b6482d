/** A mechanism that is taken out of a copy of the source, and the tests that have to fail without it. */
export interface Removal {
  /** Unique; `make removals NAMES=…` selects by it. */
  readonly name: string;
  /** What is taken out. */
  readonly mechanism: string;
  /** The path from the root of the repository. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** Test files, of which at least one test has to fail. */
  readonly tests: readonly string[];
  /** Selects tests of these files by their names, as vitest's `-t`. */
  readonly pattern?: string;
  /** Parts of rows of `test/guarantees.yaml` (event and guarantee, joined by a colon), each of exactly one row, that this mechanism keeps. The rows
   * name one of `tests`. */
  readonly rows: readonly string[];
}

/** A guarantee without a removal, and why there is none. */
export interface Exception {
  readonly row: string;
  /** One sentence. */
  readonly reason: string;
}

/** The outcome of one check, stored so that the page can show it. */
export interface RemovalResult {
  /** Day of the run. */
  readonly date: string;
  readonly outcome: "failed" | "survived" | "broken";
  readonly failedTests: number;
  /** First line of the first failed test's message. */
  readonly how: string;
}
