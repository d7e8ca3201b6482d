import { AppError } from "@postern/shared/platform/errors";

/** A request that is answered with 400 and this reason, which must not contain a secret. */
export function malformed(reason: string): AppError {
  return new AppError("REQUEST_MALFORMED", { publicMessage: reason });
}

/** The user name and protocol, as far as the request could be read. */
export interface NamedIn {
  /** The text that was sent; bytes that are not UTF-8 are one character each. */
  readonly username?: string | undefined;
  readonly protocol?: string | undefined;
  readonly clientIp?: string | undefined;
}

/**
 * A request with a user name or password that no account can have. Where a mail user's input is passed on unchanged, it is answered like a
 * wrong password.
 */
export class CredentialsError extends AppError {
  readonly named: NamedIn;

  constructor(fault: string, named: NamedIn) {
    super("REQUEST_CREDENTIALS", { publicMessage: fault });
    this.named = named;
  }
}
