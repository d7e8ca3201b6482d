import { AppError } from "@postern/shared/platform/errors";
import { ResultCodeError } from "ldapts";
import { type FailureKind, RefusedAccountError } from "../servers/errors.ts";
import { accountState, type ReportedState } from "./account-state.ts";
import type { PasswordPolicy } from "./password-policy.ts";

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
