/** What is stored about an account whose sign-ins a mail server verifies and reports. */
export interface ReportedAccount {
  /** The account has signed in. Only then is it certain that it exists. */
  readonly hasSignedIn: boolean;
  /** It has signed in with this password hash. */
  readonly hasSignedInWith: boolean;
}

/**
 * History of reported sign-ins, in Redis, for all engines. Undefined while Redis is unavailable.
 *
 * Mail servers of some versions report every failure alike: a wrong password, an unknown account, and a passdb that does
 * not answer. A hash with which the account signed in is not a guess.
 */
export interface LoginHistory {
  /** `digest`: of name and password hash. */
  read(username: string, digest: string): Promise<ReportedAccount | undefined>;
  noteSignIn(username: string, digest: string): void;
  /** Number of repeated failures of the account from the network, with this one, within the repeat window. */
  countRepetition(network: string, username: string): Promise<number | undefined>;
}
