import { type Ok, programOf } from "@postern/shared/contracts";
import type { RiskSettings } from "@postern/shared/domain/risk";
import { createHotCache } from "@postern/shared/platform/cache";
import type { RiskRead } from "../brute-force/shared-store.ts";
import type { Attempt } from "../pipeline/attempt.ts";
import type { RiskFacts, ScoredFacts } from "./sign-in.ts";

const maxRemembered = 8192;

/** Everything that a score depends on, but for files of places and reputation, which are looked up again in the next minute. */
export interface ScoreInputs {
  readonly attempt: Attempt;
  /** Its attributes are the same object while the result comes from the same cache entry. */
  readonly decision: Ok;
  readonly read: RiskRead;
  readonly minute: number;
  readonly settings: RiskSettings;
  /** What was found out about the account; replaced when it changes. */
  readonly findings: object | undefined;
}

interface Remembered
  extends Pick<ScoreInputs, "minute" | "settings" | "findings">,
    Pick<RiskRead, "account" | "source">,
    Pick<Ok, "attributes"> {
  readonly score: RiskFacts;
}

function keyOf({ attempt, read }: ScoreInputs): string {
  return `${read.keys.account.id}\0${attempt.clientIp}\0${attempt.protocol}\0${attempt.username}\0${programOf(attempt)}`;
}

/** Whether the score of such a sign-in may be remembered. */
function isEligible({ attempt, settings }: ScoreInputs, { cache, credential }: ScoredFacts): boolean {
  if (cache?.servedFrom !== "memory" || credential !== "password") return false;
  return attempt.dialect !== "idp" && !settings.submissionProtocols.has(attempt.protocol);
}

/**
 * Remembers the ordinary score of a success from this process's memory until one of its inputs changes, at most for a minute. The score of a
 * submission is never remembered, because its signals change with every message.
 */
export function createRememberedScores() {
  const scores = createHotCache<Remembered>(maxRemembered);
  return {
    isEligible,
    find: (inputs: ScoreInputs): RiskFacts | undefined => {
      const known = scores.get(keyOf(inputs));
      const { read, minute, settings, findings, decision } = inputs;
      if (known?.minute !== minute || known.settings !== settings || known.findings !== findings) return undefined;
      if (known.attributes !== decision.attributes) return undefined;
      return known.account === read.account && known.source === read.source ? known.score : undefined;
    },
    keep: (inputs: ScoreInputs, score: RiskFacts): void => {
      // Everything else is reported, and may be refused.
      if (score.level !== "ordinary" || score.verdict.refusal !== undefined) return;
      const { read, minute, settings, findings, decision } = inputs;
      const { account, source } = read;
      const { attributes } = decision;
      const remembered = { ...score, isRemembered: true };
      scores.set(keyOf(inputs), { minute, account, source, settings, findings, attributes, score: remembered });
    },
  };
}
