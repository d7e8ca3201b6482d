import type { AuthDecision, Ok } from "@postern/shared/contracts";
import type { BackendAccount, LookupOutcome, VerifyOutcome } from "../backends/backend.ts";
import { withAccountAttribute } from "../backends/found-account.ts";
import type { Attempt } from "../pipeline/attempt.ts";
import type { CachedFacts } from "../result-cache/result-caches.ts";

/** What backends release about an account. */
export type Released = Pick<BackendAccount, "account" | "accountField" | "totpSecretField" | "attributes"> & {
  readonly groups?: readonly string[] | undefined;
  readonly uniqueUserId?: string | undefined;
};

/** What backends say about an account. Absent fields are not known. */
export interface KnownAccount {
  readonly kind: "known";
  readonly isRight?: boolean | undefined;
  readonly isDisabled?: boolean | undefined;
  readonly account?: string | undefined;
  readonly released?: Released | undefined;
}

/** `mayBeDisabled`: for a lookup, a disabled account is unknown too. */
export type SideAnswer = KnownAccount | { readonly kind: "unknown"; readonly mayBeDisabled?: boolean | undefined };

const releasedOf = (found: BackendAccount): Released => ({
  ...found,
  attributes: withAccountAttribute(found.attributes, found.accountField, found.account),
});

function accepted(decision: Ok, { operation }: Attempt, { credential, cache }: CachedFacts): KnownAccount {
  const isRight = operation === "authenticate" && credential === "password" ? true : undefined;
  // A cache has former attributes, and not all fields of an answer.
  const released = cache?.servedFrom === undefined ? decision : undefined;
  return { kind: "known", isRight, isDisabled: false, account: decision.account, released };
}

/**
 * What the backends that decide said, now or when a cache kept it. Undefined if they did not say anything: a control, a token or a ban
 * decided, or a master user signed in.
 *
 * @param decision of the step that decided, before policies, scripts and the other finalizers
 */
export function oldAnswer(attempt: Attempt, decision: AuthDecision, facts: CachedFacts): SideAnswer | undefined {
  if (attempt.masterLogin !== undefined) return undefined;
  if (decision.outcome === "ok") return accepted(decision, attempt, facts);
  if (decision.outcome !== "fail" || facts.credential === "token") return undefined;
  const account = facts.guessedAccount;
  switch (decision.reason) {
    case "unknown_user":
      return { kind: "unknown", mayBeDisabled: attempt.operation === "lookup" };
    case "wrong_password":
    case "password_unverifiable":
      return { kind: "known", account, isRight: facts.credential === "password" ? false : undefined };
    case "account_disabled": {
      // Other details are states that servers report when they check a password; a lookup does not show them.
      const isSeen = decision.detail === undefined || decision.detail === "disabled";
      return { kind: "known", account, isDisabled: isSeen ? true : undefined };
    }
    default:
      return undefined;
  }
}

export function verifiedAnswer(outcome: VerifyOutcome | undefined): SideAnswer {
  switch (outcome?.kind) {
    case "ok": {
      const { account } = outcome;
      return {
        kind: "known",
        isRight: true,
        isDisabled: false,
        account: account.account,
        released: releasedOf(account),
      };
    }
    case "wrong_password":
    case "password_unverifiable":
      return { kind: "known", isRight: false, account: outcome.account };
    case "account_disabled":
      return { kind: "known", isDisabled: true, account: outcome.account };
    // Only other servers of this interface answer so, and auth.shadow.order names none.
    case "denied":
      return { kind: "known", isRight: false };
    case "unknown_user":
    case "not_served":
    case undefined:
      return { kind: "unknown" };
  }
}

export function lookedUpAnswer(outcome: LookupOutcome | undefined): SideAnswer {
  if (outcome?.kind === "ok") {
    const { account } = outcome;
    return { kind: "known", isDisabled: false, account: account.account, released: releasedOf(account) };
  }
  return outcome?.kind === "unknown_user" && outcome.isDisabled === true
    ? { kind: "known", isDisabled: true }
    : { kind: "unknown" };
}
