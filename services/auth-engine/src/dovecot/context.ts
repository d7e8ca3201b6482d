import type { Config } from "@postern/shared/platform/config";
import { systemClock } from "@postern/shared/platform/time";
import { createChosenNames } from "../brute-force/chosen-names.ts";
import type { LiveBruteForce } from "../brute-force/context.ts";
import { createGuessDigest } from "../brute-force/guess-digest.ts";
import type { HistoryThread } from "../history/history-thread.ts";
import type { Policies } from "../policy/policies.ts";
import { createAllowLogin } from "./allow-login.ts";
import type { AuthPolicy } from "./auth-policy.ts";
import { noteOfReport, noteOfVerdict } from "./note-of-report.ts";
import { createReportLogin } from "./report-login.ts";
import { createResetCounts } from "./reset-counts.ts";

/** Names that may not exist are stored for about as long. */
const chosenNamesMs = 3_600_000;

export function makeAuthPolicy(
  { storage }: Config,
  parts: {
    readonly bruteForce: LiveBruteForce | undefined;
    readonly rules: { readonly current: { readonly policies: Policies | undefined } };
    /** Absent while no history is recorded. */
    readonly history: HistoryThread | undefined;
  },
): AuthPolicy {
  const bruteForce = () => parts.bruteForce?.current;
  const allow = createAllowLogin(bruteForce, () => parts.rules.current.policies);
  const report = createReportLogin(
    bruteForce,
    () => parts.bruteForce?.history,
    createGuessDigest(storage.redis.password_nonce),
    createChosenNames(systemClock, chosenNamesMs),
  );
  return {
    allow: async (login) => {
      const verdict = await allow(login);
      // A sign-in that may proceed is reported afterwards.
      if (verdict.verdict === "reject") parts.history?.note(noteOfVerdict(login, verdict, systemClock.now()));
      return verdict;
    },
    report: async (login, call) => {
      const effect = await report(login, call);
      parts.history?.note(noteOfReport(login, effect, systemClock.now()));
      return effect;
    },
    reset: createResetCounts(() => parts.bruteForce?.records),
  };
}
