import type { AuthDecision } from "@postern/shared/contracts";

/** What a configuration decides; `why` is a rule, a reason, an error code or a policy. */
export interface Verdict {
  readonly kind: "admitted" | "refused" | "banned" | "temporary" | "unknown";
  readonly why: string;
}

/** Nobody knows what the backend would have answered. */
export const unknownAnswer: Verdict = { kind: "unknown", why: "" };
const admitted: Verdict = { kind: "admitted", why: "" };
const verdicts = new Map<string, Verdict>();
const limit = 10_000;

/** One object for each verdict, so that two are compared by identity. Reasons come from a log, which may contain anything. */
export function verdict(kind: Verdict["kind"], why: string): Verdict {
  const key = `${kind} ${why}`;
  const known = verdicts.get(key);
  if (known !== undefined) return known;
  if (verdicts.size >= limit) return verdicts.get(`${kind} other`) ?? { kind, why: "other" };
  const fresh = { kind, why };
  verdicts.set(key, fresh);
  return fresh;
}

export function verdictOf(decision: AuthDecision): Verdict {
  switch (decision.outcome) {
    case "ok":
      return admitted;
    case "fail":
      return verdict("refused", decision.reason);
    case "blocked":
      return verdict("banned", decision.rule);
    case "tempfail":
      return verdict("temporary", decision.code);
  }
}

/** In the words of the report. */
export function wordsOf({ kind, why }: Verdict): string {
  switch (kind) {
    case "admitted":
      return "admitted";
    case "refused":
      return `refused (${why})`;
    case "banned":
      return `banned (rule ${why})`;
    case "temporary":
      return `temporary failure (${why})`;
    case "unknown":
      return "asks the backend (answer not recorded)";
  }
}
