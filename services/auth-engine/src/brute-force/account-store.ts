import type { CountedAccount } from "./shared-store.ts";

/** Result of counting a failure, over all networks. */
export interface AccountCount {
  /** Distinct wrong passwords of the account within the window. */
  readonly failures: number;
  /** Whether this password is new for the account. */
  readonly isNew: boolean;
  /** Whether the account signed in from this network recently. */
  readonly knowsSource: boolean;
}

export interface AccountFailure {
  readonly target: CountedAccount;
  readonly digest: string;
}

/** Counts failures of accounts over all networks, in Redis. Returns undefined while Redis is unavailable. */
export interface AccountStore {
  /** Rejects if this failure could not be counted but others could. */
  count(failure: AccountFailure): Promise<AccountCount | undefined>;
  /** Whether the account signed in from this network recently. */
  knows(account: string, network: string): Promise<boolean | undefined>;
  /** Records that the account signed in from this network. */
  note(account: string, network: string): Promise<boolean | undefined>;
}
