import {
  ConstraintViolationError,
  InvalidCredentialsError,
  PasswordPolicyError,
  UnwillingToPerformError,
} from "ldapts";
import { describe, expect, it } from "vitest";
import { accountState } from "./account-state.ts";

const activeDirectory = (data: string): InvalidCredentialsError =>
  new InvalidCredentialsError(
    `80090308: LdapErr: DSID-0C09044E, comment: AcceptSecurityContext error, data ${data}, v4563`,
  );

describe("the account state that a server reports with its result", () => {
  it.each([
    ["525", undefined],
    ["52e", undefined],
    ["530", "not_now"],
    ["531", "not_from_here"],
    ["532", "password_expired"],
    ["533", "disabled"],
    ["701", "expired"],
    ["773", "password_change_required"],
    ["775", "locked"],
  ])("Active Directory's %s is %s", (data, expected) => {
    expect(accountState(activeDirectory(data), undefined)).toBe(expected);
  });

  it.each([
    [PasswordPolicyError.PasswordExpired, "password_expired"],
    [PasswordPolicyError.AccountLocked, "locked"],
    [PasswordPolicyError.ChangeAfterReset, "password_change_required"],
    [PasswordPolicyError.PasswordTooShort, undefined],
    [99, undefined],
  ])("the password policy's %s is %s", (error, expected) => {
    expect(accountState(new InvalidCredentialsError(""), { error })).toBe(expected);
  });

  it.each([
    [new UnwillingToPerformError("Account inactivated. Contact system administrator."), "disabled"],
    [new ConstraintViolationError("Exceed password retry limit. Please try later."), "locked"],
    [new InvalidCredentialsError("password expired!"), "password_expired"],
    [new InvalidCredentialsError(""), undefined],
    [new Error("account locked"), undefined],
  ])("%s is %s", (error, expected) => {
    expect(accountState(error, undefined)).toBe(expected);
  });
});
