import { type AuthDecision, programOf } from "@postern/shared/contracts";
import type { DecisionChannel, DecisionNote } from "@postern/shared/domain/history";
import { printable } from "@postern/shared/platform/logging";
import type { CountedFacts } from "../brute-force/brute-force.ts";
import type { Attempt } from "../pipeline/attempt.ts";

export const maxProgram = 64;

export type Ending = Pick<DecisionNote, "outcome" | "reason" | "rule" | "account">;

/** An account's name only if a backend knows it, because a name that was merely typed may not exist. */
function knownAccount({ username }: Attempt, { accountKnown, guessedAccount }: CountedFacts): string | undefined {
  return accountKnown === true ? (guessedAccount ?? username) : guessedAccount;
}

function endingOf(attempt: Attempt, decision: AuthDecision, facts: CountedFacts): Ending {
  const account = knownAccount(attempt, facts);
  switch (decision.outcome) {
    case "ok":
      return { outcome: "ok", reason: "", rule: "", account: decision.account };
    case "fail":
      return { outcome: "denied", reason: decision.reason, rule: decision.policy ?? "", account };
    case "blocked":
      return { outcome: "blocked", reason: "banned", rule: decision.rule, account };
    case "tempfail":
      return { outcome: "undecided", reason: decision.code, rule: "", account };
  }
}

function channelOf(dialect: Attempt["dialect"]): DecisionChannel {
  if (dialect === "idp") return "browser";
  if (dialect === "jwt") return "jwt";
  return dialect === "auth_policy" ? "mail_server" : "mail";
}

/** A decision as the history records it. */
export function noteOf(attempt: Attempt, decision: AuthDecision, facts: CountedFacts, timeMs: number): DecisionNote {
  const { session, dialect, username, protocol, clientIp = "", oidcClientId = "" } = attempt;
  const channel = channelOf(dialect);
  return {
    ...endingOf(attempt, decision, facts),
    timeMs,
    channel,
    username,
    clientIp,
    protocol,
    step: channel === "browser" ? "password" : "",
    // A browser is in the sessions of the account.
    client: oidcClientId === "" && channel === "mail" ? printable(programOf(attempt), maxProgram) : oidcClientId,
    session,
    ...(facts.bruteForce?.repeatedWrongPassword === true && { isRepeated: true }),
    ...(decision.outcome === "ok" && facts.bruteForce?.pending === true && { isAfterFailure: true }),
  };
}
