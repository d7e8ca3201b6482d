import {
  ConstraintViolationError,
  InvalidCredentialsError,
  PasswordPolicyError,
  UnwillingToPerformError,
} from "ldapts";
import { describe, expect, it } from "vitest";
import { accountState, stateAfterBind } from "./errors.ts";
import type { PasswordPolicy } from "./password-policy.ts";

const silent: PasswordPolicy = { isAnswered: true, isExpired: false };

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
    expect(accountState(activeDirectory(data), undefined)?.state).toBe(expected);
  });

  it.each([
    [PasswordPolicyError.PasswordExpired, "password_expired"],
    [PasswordPolicyError.AccountLocked, "locked"],
    [PasswordPolicyError.ChangeAfterReset, "password_change_required"],
    [PasswordPolicyError.PasswordTooShort, undefined],
    [99, undefined],
  ])("the password policy's %s is %s", (error, expected) => {
    expect(accountState(new InvalidCredentialsError(""), { ...silent, error })?.state).toBe(expected);
  });

  it.each([
    [new UnwillingToPerformError("Account inactivated. Contact system administrator."), "disabled"],
    [new ConstraintViolationError("Exceed password retry limit. Please try later."), "locked"],
    [new InvalidCredentialsError("password expired!"), "password_expired"],
    [new InvalidCredentialsError(""), undefined],
    [new Error("account locked"), undefined],
  ])("%s is %s", (error, expected) => {
    expect(accountState(error, undefined)?.state).toBe(expected);
  });

  it("may be that a new password is needed, which words alone do not prove", () => {
    const must = (error: Error, policy = silent): boolean | undefined =>
      accountState(error, policy)?.mustChangePassword;
    const refused = new InvalidCredentialsError("");
    expect([activeDirectory("773"), activeDirectory("532")].map((error) => must(error))).toEqual([true, true]);
    expect(must(refused, { ...silent, error: PasswordPolicyError.PasswordExpired })).toBe(true);
    expect(must(refused, { ...silent, isExpired: true })).toBe(true);
    expect(
      [activeDirectory("775"), new InvalidCredentialsError("password expired!")].map((error) => must(error)),
    ).toEqual([false, false]);
  });
});

describe("the account state after a bind that succeeded", () => {
  it.each([
    ["a change after a reset", { error: PasswordPolicyError.ChangeAfterReset }, "password_change_required"],
    ["an expired password", { error: PasswordPolicyError.PasswordExpired }, "password_expired"],
    ["Netscape's control alone", { isAnswered: false, isExpired: true }, "password_change_required"],
    ["Netscape's control beside a grace login", { isExpired: true, graceLoginsLeft: 1 }, undefined],
    ["an error about a new password", { error: PasswordPolicyError.PasswordTooShort }, undefined],
    ["nothing", {}, undefined],
  ])("%s", (_what, policy, state) => {
    expect(stateAfterBind({ ...silent, ...policy })?.state).toBe(state);
  });
});
