import { PasswordPolicyError, type PasswordPolicyValue, ResultCodeError } from "ldapts";

/** Why a server refused a user, beyond "wrong password". For logs and metrics: a caller is told nothing of it. */
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
 * Active Directory's second code inside 49, hexadecimal Windows errors. 52e (wrong password) and 525 (no such user)
 * are what 49 says anyway. 775 is said to any password, the others to the right one only.
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

/** Draft-behera-ldap-password-policy section 6.2; what concerns changes of passwords is left out. */
const passwordPolicy: ReadonlyMap<number, AccountState> = new Map([
  [PasswordPolicyError.PasswordExpired, "password_expired"],
  [PasswordPolicyError.AccountLocked, "locked"],
  [PasswordPolicyError.ChangeAfterReset, "password_change_required"],
]);

/** 389 Directory Server, FreeIPA and their kin say it in words. */
const inWords: readonly (readonly [RegExp, AccountState])[] = [
  [/password\b.*\bexpired/i, "password_expired"],
  [/locked|retry limit/i, "locked"],
  [/expired/i, "expired"],
  [/inactivated|disabled/i, "disabled"],
];

/** What the server says of the account beside its result code; undefined when that says it all. */
export function accountState(error: unknown, policy: PasswordPolicyValue | undefined): AccountState | undefined {
  const told = policy?.error === undefined ? undefined : passwordPolicy.get(policy.error);
  if (told !== undefined) return told;
  if (!(error instanceof ResultCodeError)) return undefined;
  const [, code = ""] = /\bdata ([0-9a-f]+)\b/i.exec(error.message) ?? [];
  return activeDirectory[code] ?? inWords.find(([words]) => words.test(error.message))?.[1];
}
