import type { Awaitable } from "@postern/shared/async";
import type { BackendKind } from "@postern/shared/contracts";
import type { Secret } from "@postern/shared/crypto";
import type { MfaArtefacts } from "../mfa-artefacts/mfa-artefacts.ts";

/** What a directory is told of a request; `protocol` selects the site's search or query. */
export interface DirectoryQuery {
  readonly username: string;
  readonly protocol: string;
  readonly clientIp?: string | undefined;
  readonly clientPort?: string | undefined;
  readonly localIp?: string | undefined;
  readonly localPort?: string | undefined;
}

/** The account as its directory knows it. `attributes` holds only what the site configured for release. */
export interface DirectoryAccount {
  readonly account: string;
  readonly accountField: string;
  readonly totpSecretField: string;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
  /** Names of the groups that it is in; absent where the site configured none to be looked for. */
  readonly groups?: readonly string[] | undefined;
}

/**
 * What a directory can say. Everything else (down, slow, overloaded, ambiguous, unreadable data) is thrown as an
 * `AppError` of kind `unavailable`: it decides nothing about the user.
 * `not_served`: the site configured no search of this directory for the protocol.
 */
export type VerifyOutcome =
  | { readonly kind: "ok"; readonly account: DirectoryAccount }
  /** `account`: what the directory calls it, where it said so: a guess by another name of it counts as one of it. */
  | { readonly kind: "wrong_password"; readonly account?: string | undefined }
  /** `detail`: what the directory says of the account, one of a closed list of words, for logs only. */
  | { readonly kind: "account_disabled"; readonly account?: string | undefined; readonly detail?: string | undefined }
  | { readonly kind: "unknown_user" }
  | { readonly kind: "not_served" };

export type LookupOutcome =
  | { readonly kind: "ok"; readonly account: DirectoryAccount }
  | { readonly kind: "unknown_user" }
  | { readonly kind: "not_served" };

/** Which accounts to list: those after `position`, at most `limit`. */
export interface AccountPage {
  readonly position?: string | undefined;
  readonly limit: number;
}

/** Where the next page begins. `isHeld`: the directory keeps the listing open, so only this object has that page. */
export interface ListPosition {
  readonly text: string;
  readonly isHeld: boolean;
}

/**
 * A page of account names; without `next` it is the last one. Pages may be short or empty before that. A directory
 * that cannot go on throws: the end of a list is never a guess.
 */
export type ListOutcome =
  | { readonly kind: "ok"; readonly accounts: readonly string[]; readonly next?: ListPosition | undefined }
  | { readonly kind: "not_served" };

/** How long a directory may take, and the way to call it off. `deadline` is absolute, in epoch milliseconds. */
export interface DirectoryContext {
  readonly deadline: number;
  readonly signal: AbortSignal;
}

/** Port of the directories that a site has (design decision 8): one adapter per kind. */
export interface Directory {
  readonly kind: BackendKind;
  readonly name: string;
  /** Second factors and app passwords; absent where the directory keeps none. */
  readonly mfa?: MfaArtefacts | undefined;
  /** Never called with an empty password. */
  verify(query: DirectoryQuery, password: Secret, context: DirectoryContext): Awaitable<VerifyOutcome>;
  lookup(query: DirectoryQuery, context: DirectoryContext): Awaitable<LookupOutcome>;
  /** `not_served`: the site configured no listing of this directory for the protocol. */
  listAccounts(query: DirectoryQuery, page: AccountPage, context: DirectoryContext): Promise<ListOutcome>;
  /** Nobody will ask for the page at this position. */
  endListing(position: string): void;
  /**
   * Spends what verifying a known user's wrong password would have cost, so that an unknown name cannot be told by
   * its time. The outcome is thrown away; it throws as `verify` does.
   */
  spendVerification(query: DirectoryQuery, password: Secret, context: DirectoryContext): Awaitable<void>;
  /**
   * Forgets what this process remembers of an account (an entry, a DN, groups, its absence), by any name that it is
   * asked for by. What the directory itself holds stays.
   */
  forget?(name: string): void;
  /** Resolves when the directory could answer now; throws the reason otherwise. For readiness and metrics. */
  check(context: DirectoryContext): Promise<void>;
  close(): Promise<void>;
}
