import { PasswordPolicyError, type PasswordPolicyValue, ResultCodeError } from "ldapts";

/** Why a server refused a user, beyond "wrong password". For logs and metrics only; callers never see it. */
export const accountStates = [
  "disabled",
  "expired",
  "locked",
  "password_expired",
  "password_change_required",
  "not_now",
  "not_from_here",
] as const;
export type AccountState = (typeof accountStates)[number];

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

/** What the server says about the account beyond its result code; undefined if that says everything. */
export function accountState(error: unknown, policy: PasswordPolicyValue | undefined): AccountState | undefined {
  const policyState = policy?.error === undefined ? undefined : passwordPolicy.get(policy.error);
  if (policyState !== undefined) return policyState;
  if (!(error instanceof ResultCodeError)) return undefined;
  const [, code = ""] = /\bdata ([0-9a-f]+)\b/i.exec(error.message) ?? [];
  return activeDirectory[code] ?? inWords.find(([words]) => words.test(error.message))?.[1];
}
