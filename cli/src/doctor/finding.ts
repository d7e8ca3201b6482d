/** `problem`: users are affected or will be; `warning`: the site works and is exposed or close to a problem. */
export type Severity = "problem" | "warning";

/** Something about a site that the operator should change. */
export interface Finding {
  readonly severity: Severity;
  /** What was checked, such as `redis state`. */
  readonly subject: string;
  readonly found: string;
  /** What to do. */
  readonly advice: string;
}

/** One check. It returns no finding if all is well, and throws only for bugs. */
export interface Check {
  readonly subject: string;
  readonly run: () => Promise<readonly Finding[]>;
}

/** Findings about one subject. */
export function findingsOf(subject: string) {
  return {
    problem: (found: string, advice: string): Finding => ({ severity: "problem", subject, found, advice }),
    warning: (found: string, advice: string): Finding => ({ severity: "warning", subject, found, advice }),
  };
}
