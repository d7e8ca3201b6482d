/** An account as the backend returned it at the last sign-in; the source of claims. */
export interface OidcAccount {
  /** `sub`. */
  readonly accountId: string;
  /** The mailbox name: `username` in introspection. */
  readonly account: string;
  readonly displayName?: string | undefined;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
  readonly groups?: readonly string[] | undefined;
  readonly groupDns?: readonly string[] | undefined;
  readonly mfaMethod?: string | undefined;
  readonly mfaCompleted?: boolean | undefined;
}

export interface OidcAccounts {
  /** Every current subject of the account with this name; empty if its subject is its name. */
  subjectsOf(account: string): Promise<readonly string[]>;
  /** Undefined for an account without a sign-in within the lifetime of any token. */
  find(accountId: string): Promise<OidcAccount | undefined>;
  /** Stores the account; called at each sign-in. */
  save(account: OidcAccount): Promise<void>;
  /** Keeps the account for as long as a token issued now may live. */
  keep(accountId: string): Promise<void>;
}
