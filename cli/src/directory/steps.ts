/** `stop`: a login ends here. */
export type StepOutcome = "ok" | "note" | "stop";

/** One step of a login and its result. */
export interface TestStep {
  readonly step: string;
  readonly outcome: StepOutcome;
  readonly detail: string;
  /** The entry of `auth.backends.order`. */
  readonly directory?: string | undefined;
}

/** The result of a login; `unknown` if it depends on checks that were not made. */
export type Verdict = "accepted" | "denied" | "temporary_failure" | "unknown";

export type ReportStep = (step: string, outcome: StepOutcome, detail: string) => void;

/** An error with its causes, each once. */
export function reasonOf(error: unknown): string {
  const texts: string[] = [];
  for (let at: unknown = error; at instanceof Error && texts.length < 5; at = at.cause) {
    if (at.message !== "" && !texts.includes(at.message)) texts.push(at.message);
  }
  return texts.join(": ") || String(error);
}
