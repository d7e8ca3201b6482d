/** `stop`: a login goes no further here, or not on this way. */
export type StepOutcome = "ok" | "note" | "stop";

/** One thing that a login does, and what came of it. */
export interface TestStep {
  readonly step: string;
  readonly outcome: StepOutcome;
  readonly detail: string;
  /** The entry of `auth.backends.order`. */
  readonly directory?: string | undefined;
}

/** What a login would get; `unknown` where it hangs on what was not tried. */
export type Verdict = "accepted" | "denied" | "temporary_failure" | "unknown";

export type Tell = (step: string, outcome: StepOutcome, detail: string) => void;

/** An error with its causes, each once. */
export function reasonOf(error: unknown): string {
  const texts: string[] = [];
  for (let at: unknown = error; at instanceof Error && texts.length < 5; at = at.cause) {
    if (at.message !== "" && !texts.includes(at.message)) texts.push(at.message);
  }
  return texts.join(": ") || String(error);
}
