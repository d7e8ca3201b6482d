import { AppError } from "@postern/shared/errors";
import { ResultCodeError } from "ldapts";
import { type FailureKind, RefusedAccountError } from "../servers/errors.ts";

/** RFC 4511 appendix A, those that we tell apart. */
const resultCode = {
  noResult: 248,
  constraintViolation: 19,
  noSuchObject: 32,
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

export type BindRefusal = "wrong_password" | "account_disabled" | "unknown_user";

/**
 * Active Directory's second code inside 49: 530/531 not from here or now, 532 password expired, 533 disabled, 701
 * account expired, 773 password must be changed, 775 locked out. All but 775 are said to the right password only.
 */
const activeDirectoryAccountState = /\bdata (?:530|531|532|533|701|773|775)\b/i;
/** 389 Directory Server and its kin say 53 or 19 for accounts that an administrator or a policy closed. */
const accountStateText = /inactivated|locked|disabled|expired|retry limit/i;

/** What the server's answer to a user's bind says about the user; undefined when it says nothing about them. */
export function bindRefusal(error: unknown): BindRefusal | undefined {
  if (!(error instanceof ResultCodeError)) return undefined;
  switch (error.code) {
    case resultCode.invalidCredentials:
      return activeDirectoryAccountState.test(error.message) ? "account_disabled" : "wrong_password";
    case resultCode.inappropriateAuthentication:
      // The entry holds no password at all.
      return "wrong_password";
    case resultCode.noSuchObject:
      // Removed between the search and the bind.
      return "unknown_user";
    case resultCode.unwillingToPerform:
    case resultCode.constraintViolation:
      return accountStateText.test(error.message) ? "account_disabled" : undefined;
    default:
      return undefined;
  }
}

/** The server works but refuses our service account: the site's settings are wrong, not a user's password. */
export class ServiceBindError extends RefusedAccountError {
  constructor(uri: string, cause: unknown) {
    super(uri, cause);
    this.name = "ServiceBindError";
  }
}
