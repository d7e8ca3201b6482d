import type { SignInDemands } from "../second-factors/sign-in-demands.ts";

export interface ConnectedApplication {
  readonly id: string;
  readonly name: string;
  readonly demands: SignInDemands;
}

/** An application in which the user can start a sign-in from here (OpenID Connect Core §4). */
export interface StartableApplication {
  readonly name: string;
  /** The application's page, with the issuer. */
  readonly address: string;
}

/** A mail client in which the user is signed in by token. */
export interface MailSignIn {
  /** Identifies the sign-in; grants no access. */
  readonly id: string;
  /** The client gave itself this name. */
  readonly name: string;
  readonly signedInMs: number;
  /** When a token was last issued. */
  readonly lastUsedMs: number;
}

/** Mail clients with tokens of an account. Every method throws AppError `REDIS_UNAVAILABLE` if Redis cannot answer. */
export interface MailSignIns {
  /** The latest use first. */
  list(account: string): Promise<readonly MailSignIn[]>;
  /** Revokes the tokens of one sign-in. @returns whether the account has it */
  end(account: string, id: string): Promise<boolean>;
  /** Revokes the tokens of all sign-ins. @returns how many there were */
  endAll(account: string): Promise<number>;
  /** What the site demands of the second factors of users with a mail client. */
  demands(): SignInDemands;
}

/** What the applications of one protocol demand of an account. @throws AppError if that cannot be determined */
export type ListDemands = (account: string) => Promise<readonly SignInDemands[]>;

/** Applications that may use an account. Every method throws AppError `REDIS_UNAVAILABLE` if Redis cannot answer. */
export interface ConnectedApplications {
  list(account: string): Promise<readonly ConnectedApplication[]>;
  /** What the site offers to every user of the account's domain, and connected applications that registered themselves. */
  startable(account: string): Promise<readonly StartableApplication[]>;
  /** Revokes the application's tokens and the user's consent. */
  disconnect(account: string, clientId: string): Promise<void>;
  /**
   * Disconnects all, also clients that the configuration no longer has, whose signed tokens are valid until they expire.
   * @returns their ids
   */
  disconnectAll(account: string): Promise<readonly string[]>;
}
