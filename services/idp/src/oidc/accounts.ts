/** An account as its directory told it at the last sign-in: what claims are made of. */
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
  /** Undefined for an account that has not signed in within the life of any token. */
  find(accountId: string): Promise<OidcAccount | undefined>;
  /** At each sign-in. */
  save(account: OidcAccount): Promise<void>;
  /** Lets it live as long as a token that is made now may. */
  keep(accountId: string): Promise<void>;
}
