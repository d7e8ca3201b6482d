import type { AuthDecision, AuthPolicyLogin, AuthPolicyVerdict, Ok } from "@postern/shared/contracts";
import type { Domain } from "@postern/shared/domain/domains";
import type { CallerDeadline } from "@postern/shared/platform/concurrency";
import { type BruteForce, type BruteForceFacts, blockedBy } from "../brute-force/brute-force.ts";
import type { Attempt } from "../pipeline/attempt.ts";
import type { PolicyFacts } from "../policy/fact-readers.ts";
import type { Policies } from "../policy/policies.ts";
import type { SuspensionCheck } from "../suspensions/is-suspended.ts";
import { reportedAttempt } from "./note-of-report.ts";

/** Nothing objects to the sign-in. Only the mail server knows what the account is. */
const accepted: Ok = {
  outcome: "ok",
  account: "",
  accountField: "",
  totpSecretField: "",
  backend: 0,
  attributes: {},
  memoryCache: "miss",
};

/** Without the text for the user: the password may not have been verified. */
const suspended: AuthPolicyVerdict = { verdict: "reject", reason: "account_suspended" };

function decisionOf(found: BruteForceFacts | undefined): AuthDecision {
  return (found === undefined ? undefined : blockedBy(found)) ?? accepted;
}

function verdictOf(decision: AuthDecision, facts: BruteForceFacts | undefined): AuthPolicyVerdict {
  const delaySeconds = Math.ceil((facts?.accountDelayMs ?? 0) / 1000);
  if (decision.outcome === "ok") {
    return delaySeconds > 0 ? { verdict: "tarpit", delaySeconds, reason: "account_delay" } : { verdict: "accept" };
  }
  // The protocol has no temporary failure: an error would let the sign-in proceed, which the policy does not want.
  const { message } = decision;
  const words = message === undefined || message === "" ? {} : { message };
  if (decision.outcome !== "blocked") return { verdict: "reject", reason: "policy", ...words };
  const { rule, retryAfterSeconds } = decision;
  return {
    verdict: "reject",
    reason: "ban",
    rule,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...words,
  };
}

/**
 * Evaluates a sign-in that a mail server is about to verify or has verified: suspensions and bans reject it, the account delay delays it,
 * and policies for the operation `auth_policy` may reject it.
 *
 * @throws AppError REDIS_UNAVAILABLE if Redis is unavailable and the site configured temporary failures for that.
 * @param bruteForce absent if `auth.controls.enabled` does not list brute-force protection.
 * @param policies absent while `auth.policy` has no rules.
 */
export function createAllowLogin(
  bruteForce: () => BruteForce | undefined,
  policies: () => Policies | undefined,
  suspension: SuspensionCheck,
) {
  const evaluate = async (
    login: AuthPolicyLogin,
    attempt: Attempt,
    call: CallerDeadline,
  ): Promise<AuthPolicyVerdict> => {
    const protection = bruteForce();
    const found = await protection?.check(attempt);
    const decision = decisionOf(found);
    // After the bans: a banned network causes no search of the backends.
    if (decision.outcome === "ok" && (await suspension.isBehind(attempt, call))) return suspended;
    if (found !== undefined && decision.outcome === "ok" && login.username !== "") {
      await protection?.determineDelay(login.username, found);
    }
    const facts: PolicyFacts = found === undefined ? {} : { bruteForce: found };
    const { attributes } = login;
    const known = { attempt: { ...attempt, operation: "auth_policy" as const, attributes }, decision, facts };
    const decided = (await policies()?.apply(known)) ?? decision;
    return verdictOf(decided, found);
  };
  return async (
    login: AuthPolicyLogin,
    call: CallerDeadline,
    { typed = login.username, domain }: { readonly typed?: string; readonly domain?: Domain | undefined } = {},
  ): Promise<AuthPolicyVerdict> => {
    const attempt = { ...reportedAttempt(login), ...(domain !== undefined && { domain }) };
    const isNamed =
      suspension.isNamed(attempt) || (typed !== login.username && suspension.isNamed({ ...attempt, username: typed }));
    return isNamed ? suspended : evaluate(login, attempt, call);
  };
}
