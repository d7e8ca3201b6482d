import type { AuthDecision } from "@postern/shared/contracts";
import { type Attempt, tokenMechanism } from "../pipeline/attempt.ts";
import type { Finalizer, Step } from "../pipeline/step.ts";
import { type BruteForce, type BruteForceFacts, blockedBy, type CountedFacts } from "./brute-force.ts";

/** Absent if `auth.controls.enabled` does not list brute-force protection. */
export interface BruteForceDep {
  readonly bruteForce: BruteForce | undefined;
}

async function refuseBanned(
  attempt: Attempt,
  facts: CountedFacts,
  bruteForce: BruteForce,
): Promise<AuthDecision | undefined> {
  const found = await bruteForce.check(attempt);
  if (found === undefined) return undefined;
  facts.bruteForce = found;
  return tokenMechanism(attempt.method) === undefined ? blockedBy(found) : undefined;
}

/**
 * Refuses a banned network before anything else happens, with one round trip to Redis. A ban stops guesses, and access tokens
 * cannot be guessed: verify-token refuses those that are not valid.
 */
export const checkBruteForce: Step<CountedFacts, BruteForceDep> = {
  name: "check-brute-force",
  run: (attempt, { facts }, { bruteForce }) =>
    bruteForce === undefined || attempt.operation !== "authenticate"
      ? undefined
      : refuseBanned(attempt, facts, bruteForce),
};

/** Wrong guesses that say nothing about their network. */
const sparingNetwork: ReadonlySet<string> = new Set(["password_unverifiable", "remote_denied"]);

/** Denial reasons that mean a wrong guess. Other reasons say nothing about the password. */
const guesses: ReadonlySet<string> = new Set([
  "wrong_password",
  "password_unverifiable",
  "remote_denied",
  "unknown_user",
  "account_disabled",
  "bad_token",
]);

/**
 * Whether a decision is a wrong guess, which counts against its network. The correct password of an account that must change
 * it is not counted: when a site resets many passwords, their programs would ban whole offices.
 */
function isGuess(decision: AuthDecision): boolean {
  return decision.outcome === "fail" && guesses.has(decision.reason) && !isRight(decision);
}

function isRight(decision: AuthDecision): boolean {
  return decision.outcome === "fail" && decision.mustChangePassword === true;
}

/**
 * Such a password is refused and delayed like one that signs in: otherwise, parallel guesses beyond the limit and guesses at a delayed
 * account would learn immediately which of them is right.
 */
async function protect(
  attempt: Attempt,
  decision: AuthDecision,
  found: BruteForceFacts,
  { bruteForce, account }: { readonly bruteForce: BruteForce; readonly account: string },
): Promise<AuthDecision> {
  const [again] = await Promise.all([bruteForce.check(attempt), bruteForce.determineDelay(account, found)]);
  return (again && blockedBy(again)) ?? decision;
}

/**
 * Adds the history of wrong passwords to the denial, for the gateway's log line. A sign-in page reports a ban as soon
 * as it exists, whatever the password was: a correct password that meets the same ban gets the same answer.
 */
function withHistory(
  decision: AuthDecision,
  { accountPasswordsSeen, totalPasswordsSeen, retryAfterSeconds }: BruteForceFacts,
): AuthDecision {
  if (decision.outcome !== "fail") return decision;
  const denial = { ...decision, accountPasswordsSeen, totalPasswordsSeen };
  return retryAfterSeconds === undefined ? denial : { ...denial, retryAfterSeconds };
}

/** Adds the account's name for the log of the sign-in pages, which names only accounts that a backend knows. */
function withAccount(decision: AuthDecision, { dialect }: Attempt, { accountKnown, guessedAccount }: CountedFacts) {
  if (dialect !== "idp" || decision.outcome !== "fail") return decision;
  return accountKnown === true && guessedAccount !== undefined ? { ...decision, account: guessedAccount } : decision;
}

/** Counts a wrong guess. The same step in Redis counts and bans, so parallel guesses cannot exceed the limit. */
export const countFailure: Finalizer<CountedFacts, BruteForceDep> = {
  name: "count-failure",
  run: (attempt, original, { facts }, { bruteForce }) => {
    const decision = withAccount(original, attempt, facts);
    if (bruteForce === undefined || facts.bruteForce === undefined) return decision;
    if (isRight(decision)) {
      const account = facts.guessedAccount ?? attempt.username;
      return protect(attempt, decision, facts.bruteForce, { bruteForce, account });
    }
    if (facts.isNoGuess === true || !isGuess(decision)) return decision;
    // A bad token does not identify an account. Repetitions of the same token count once, as for a known account.
    const isToken = decision.outcome === "fail" && decision.reason === "bad_token";
    const found = facts.bruteForce;
    const isKnown = facts.accountKnown === true || isToken;
    const sparesNetwork = decision.outcome === "fail" && sparingNetwork.has(decision.reason);
    const guessed = { isKnown, isPassword: !isToken, sparesNetwork, account: facts.guessedAccount };
    return bruteForce.countFailure(attempt, guessed, found).then(() => withHistory(decision, found));
  },
};

/**
 * Determines the account delay of a success: for an account whose password is being guessed, from a network that it does not
 * know. (For a failure, counting it has determined the delay.) Runs before the success is recorded, which makes the
 * network a known one.
 */
export const determineAccountDelay: Finalizer<CountedFacts, BruteForceDep> = {
  name: "determine-account-delay",
  run: (attempt, decision, { facts }, { bruteForce }) => {
    const found = facts.bruteForce;
    if (bruteForce === undefined || found === undefined || decision.outcome !== "ok") return decision;
    // App passwords and tokens cannot be guessed.
    if (facts.credential === "app_password" || facts.credential === "token") return decision;
    const account = attempt.masterLogin === undefined ? decision.account : attempt.username;
    return bruteForce.determineDelay(account, found).then(() => decision);
  },
};
