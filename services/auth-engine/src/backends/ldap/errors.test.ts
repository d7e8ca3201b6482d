import { AppError } from "@postern/shared/platform/errors";
import {
  BusyError,
  ConstraintViolationError,
  InappropriateAuthError,
  InsufficientAccessError,
  InvalidCredentialsError,
  NoSuchObjectError,
  OperationsError,
  StrongAuthRequiredError,
  UnavailableError,
  UnknownStatusCodeError,
  UnwillingToPerformError,
} from "ldapts";
import { describe, expect, it } from "vitest";
import { backendUnavailable } from "../servers/errors.ts";
import { bindRefusal, classifyFailure } from "./errors.ts";

const activeDirectory = (data: string): InvalidCredentialsError =>
  new InvalidCredentialsError(
    `80090308: LdapErr: DSID-0C09044E, comment: AcceptSecurityContext error, data ${data}, v4563`,
  );

describe("the result of a user's bind", () => {
  it.each([
    [new InvalidCredentialsError(""), "wrong_password"],
    [activeDirectory("52e"), "wrong_password"],
    [activeDirectory("525"), "wrong_password"],
    [activeDirectory("532"), "account_disabled"],
    [activeDirectory("533"), "account_disabled"],
    [activeDirectory("701"), "account_disabled"],
    [activeDirectory("773"), "account_disabled"],
    [activeDirectory("775"), "account_disabled"],
    [new InappropriateAuthError(""), "wrong_password"],
    [new NoSuchObjectError(""), "unknown_user"],
    [new UnwillingToPerformError("Account inactivated. Contact system administrator."), "account_disabled"],
    [new ConstraintViolationError("Exceed password retry limit. Please try later."), "account_disabled"],
  ])("%s means %s", (error, expected) => {
    expect(bindRefusal(error)?.kind).toBe(expected);
  });

  it.each([
    new UnwillingToPerformError("shutting down"),
    new ConstraintViolationError(""),
    new BusyError(""),
    new UnavailableError(""),
    new InsufficientAccessError(""),
    new StrongAuthRequiredError(""),
    new OperationsError(""),
    new UnknownStatusCodeError(80, ""),
    new Error("Connection closed before message response was received."),
    new AppError("DEADLINE_EXCEEDED"),
  ])("%s is not a decision about the user", (error) => {
    expect(bindRefusal(error)).toBeUndefined();
  });
});

describe("a failure", () => {
  it.each([
    [new InvalidCredentialsError(""), "answer"],
    [new BusyError(""), "refused"],
    [new UnavailableError(""), "refused"],
    [new Error("SearchRequest: Operation timed out"), "timeout"],
    [new Error("connect ECONNREFUSED 127.0.0.1:389"), "lost"],
    [new Error("Socket connection not established"), "lost"],
  ])("%s is classified as %s", (error, expected) => {
    expect(classifyFailure(error)).toBe(expected);
  });

  it("keeps an error that is already an AppError", () => {
    const ours = new AppError("DIRECTORY_OVERLOADED");
    expect(backendUnavailable("x", ours)).toBe(ours);
    expect(backendUnavailable("search", new Error("gone"))).toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
  });
});
