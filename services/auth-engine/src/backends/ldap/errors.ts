import { AppError } from "@postern/shared/platform/errors";
import { PasswordPolicyError, ResultCodeError } from "ldapts";
import { type FailureKind, RefusedAccountError } from "../servers/errors.ts";
import type { PasswordPolicy } from "./password-policy.ts";

/** Why a server refused a user, beyond "wrong password". For logs and metrics only; callers never see it. */
const accountStates = [
  "disabled",
  "expired",
  "locked",
  "password_expired",
  "password_change_required",
  "not_now",
  "not_from_here",
] as const;
type AccountState = (typeof accountStates)[number];

/**
 * Active Directory's second code inside result 49, a hexadecimal Windows error. 52e (wrong password) and 525 (no such
 * user) add nothing to 49. The server sends 775 with any password, the others only with the right one.
 */
const activeDirectory: Readonly<Record<string, AccountState>> = {
  530: "not_now",
  531: "not_from_here",
  532: "password_expired",
  533: "disabled",
  701: "expired",
  773: "password_change_required",
  775: "locked",
};

/** Draft-behera-ldap-password-policy section 6.2, without the codes about password changes. */
const passwordPolicy: ReadonlyMap<number, AccountState> = new Map([
  [PasswordPolicyError.PasswordExpired, "password_expired"],
  [PasswordPolicyError.AccountLocked, "locked"],
  [PasswordPolicyError.ChangeAfterReset, "password_change_required"],
]);

/** 389 Directory Server, FreeIPA and related servers send text. */
const inWords: readonly (readonly [RegExp, AccountState])[] = [
  [/password\b.*\bexpired/i, "password_expired"],
  [/locked|retry limit/i, "locked"],
  [/expired/i, "expired"],
  [/inactivated|disabled/i, "disabled"],
];

export interface ReportedState {
  readonly state: AccountState;
  /** The password is correct, and the user can sign in once it is changed. */
  readonly mustChangePassword: boolean;
}

const endsWithNewPassword: ReadonlySet<AccountState> = new Set(["password_expired", "password_change_required"]);

/** A state that servers report for the correct password only. */
function certain(state: AccountState): ReportedState {
  return { state, mustChangePassword: endsWithNewPassword.has(state) };
}

function policyState({ error }: PasswordPolicy): AccountState | undefined {
  return error === undefined ? undefined : passwordPolicy.get(error);
}

/** What the server says about the account beyond the result code of a refused bind; undefined if that says everything. */
export function accountState(error: unknown, policy: PasswordPolicy | undefined): ReportedState | undefined {
  const stated = policy && policyState(policy);
  if (stated !== undefined) return certain(stated);
  if (!(error instanceof ResultCodeError)) return undefined;
  const [, code = ""] = /\bdata ([0-9a-f]+)\b/i.exec(error.message) ?? [];
  const known = activeDirectory[code];
  if (known !== undefined) return certain(known);
  if (policy?.isExpired === true) return certain("password_expired");
  // Not every server verifies the password before it sends these words.
  const state = inWords.find(([words]) => words.test(error.message))?.[1];
  return state === undefined ? undefined : { state, mustChangePassword: false };
}

/** Why a user whose bind succeeded must not sign in: the server admits such a session to the change of its password only. */
export function stateAfterBind(policy: PasswordPolicy): ReportedState | undefined {
  const stated = policyState(policy);
  if (stated !== undefined) return certain(stated);
  // Beside the password policy control, Netscape's also accompanies grace logins.
  return policy.isExpired && !policy.isAnswered ? certain("password_change_required") : undefined;
}

/** Result codes of RFC 4511 appendix A that are distinguished here. */
const resultCode = {
  noResult: 248,
  constraintViolation: 19,
  noSuchObject: 32,
  invalidDnSyntax: 34,
  inappropriateAuthentication: 48,
  invalidCredentials: 49,
  busy: 51,
  unavailable: 52,
  unwillingToPerform: 53,
} as const;

export function classifyFailure(error: unknown): FailureKind {
  if (error instanceof AppError) return "answer";
  if (error instanceof ResultCodeError) {
    if (error.code === resultCode.busy || error.code === resultCode.unavailable) return "refused";
    return error.code === resultCode.noResult ? "lost" : "answer";
  }
  return error instanceof Error && error.message.endsWith("Operation timed out") ? "timeout" : "lost";
}

export const isNoSuchObject = (error: unknown): boolean =>
  error instanceof ResultCodeError && error.code === resultCode.noSuchObject;

/** A base with the user's domain does not exist, or is no valid DN because the name has none. */
export const isNoSuchName = (error: unknown): boolean =>
  isNoSuchObject(error) || (error instanceof ResultCodeError && error.code === resultCode.invalidDnSyntax);

export interface BindRefusal {
  readonly kind: "wrong_password" | "account_disabled" | "unknown_user";
  /** What the server adds, for logs. */
  readonly reported?: ReportedState | undefined;
}

/** What the server's answer to a user's bind says about the user; undefined if nothing. */
export function bindRefusal(error: unknown, policy?: PasswordPolicy): BindRefusal | undefined {
  if (!(error instanceof ResultCodeError)) return undefined;
  const reported = accountState(error, policy);
  const closed = reported === undefined ? undefined : ({ kind: "account_disabled", reported } as const);
  switch (error.code) {
    case resultCode.invalidCredentials:
      return closed ?? { kind: "wrong_password" };
    case resultCode.inappropriateAuthentication:
      // The entry has no password.
      return { kind: "wrong_password" };
    case resultCode.noSuchObject:
      // Removed between the search and the bind.
      return { kind: "unknown_user" };
    case resultCode.unwillingToPerform:
    case resultCode.constraintViolation:
      return closed;
    default:
      return undefined;
  }
}

/** The server works but refuses the service account: the site's settings are wrong, not a user's password. */
export class ServiceBindError extends RefusedAccountError {
  constructor(uri: string, cause: unknown) {
    super(uri, cause);
    this.name = "ServiceBindError";
  }
}
