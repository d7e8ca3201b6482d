import type { AuthDecision, Fail, Ok } from "@postern/shared/contracts";
import type { Suspension, Suspensions } from "@postern/shared/domain/suspensions";
import { AppError } from "@postern/shared/platform/errors";
import { blockedBy, type CountedFacts } from "../brute-force/brute-force.ts";
import type { BruteForceDep } from "../brute-force/brute-force-steps.ts";
import type { Attempt } from "../pipeline/attempt.ts";
import type { Finalizer } from "../pipeline/step.ts";
import { plainMessage } from "../policy/policies.ts";

export interface SuspensionsDep {
  readonly suspensions: {
    readonly find: Suspensions["find"];
    readonly isAny: () => boolean;
    /** This engine has not read the suspensions yet, and the site wants temporary failures without Redis. */
    readonly isUndecidable: () => boolean;
    /** A sign-in was refused. */
    readonly refused: () => void;
    /** What the user is told where the operator has left no text. */
    readonly defaultMessage: (acceptLanguage: string | undefined) => Pick<Fail, "message" | "language">;
  };
}

/** With the text for the user, who has shown a correct credential. */
function suspendedDenial(
  { account, reason }: Suspension,
  { memoryCache }: Pick<Ok, "memoryCache">,
  { dialect, acceptLanguage }: Attempt,
  { suspensions }: SuspensionsDep,
): Fail {
  suspensions.refused();
  return {
    outcome: "fail",
    reason: "account_suspended",
    ...(dialect === "idp" && { account }),
    memoryCache,
    ...(reason === undefined ? suspensions.defaultMessage(acceptLanguage) : plainMessage(reason)),
  };
}

/**
 * Denies a correct credential of a suspended account. Without the second check for a ban, parallel guesses beyond the limit of a rule would
 * learn which of them is right.
 */
export async function denySuspended(
  suspension: Suspension,
  attempt: Attempt,
  { decision, facts }: { readonly decision: Pick<Ok, "memoryCache">; readonly facts: CountedFacts },
  deps: SuspensionsDep & BruteForceDep,
): Promise<AuthDecision> {
  // App passwords and tokens cannot be guessed. A master user's sign-in names no credential: it is a password.
  const isGuessable = facts.credential !== "app_password" && facts.credential !== "token";
  const again = isGuessable ? await deps.bruteForce?.check(attempt) : undefined;
  return (again && blockedBy(again)) ?? suspendedDenial(suspension, decision, attempt, deps);
}

/** The account whose credential was correct. */
function accountOf(decision: AuthDecision, { guessedAccount }: CountedFacts): string | undefined {
  if (decision.outcome === "ok") return decision.account;
  return decision.outcome === "fail" && decision.mustChangePassword === true ? guessedAccount : undefined;
}

/**
 * Refuses every sign-in to an account that an operator has suspended, under whatever name and with whatever credential. Wrong passwords were
 * denied before, and show nothing. Runs before the success is recorded: it makes no network known and is not cached. Lookups are answered, so
 * mail is still delivered.
 *
 * @throws AppError REDIS_UNAVAILABLE while suspensions are unknown and the site configured temporary failures for that.
 */
export const refuseSuspended: Finalizer<CountedFacts, SuspensionsDep & BruteForceDep> = {
  name: "refuse-suspended",
  run: (attempt, decision, { facts }, deps) => {
    if (attempt.operation !== "authenticate" || decision.outcome === "blocked" || decision.outcome === "tempfail")
      return decision;
    const account = accountOf(decision, facts);
    if (account !== undefined && deps.suspensions.isUndecidable())
      throw new AppError("REDIS_UNAVAILABLE", { detail: "the suspended accounts have not been read yet" });
    const suspension = account === undefined ? undefined : deps.suspensions.find(account);
    if (suspension === undefined) return decision;
    // For the history of the account, whatever name was typed.
    facts.guessedAccount = account;
    return denySuspended(suspension, attempt, { decision, facts }, deps);
  },
};
