import type { AuthRequest, BackendKind, Ok } from "@postern/shared/contracts";
import type { CallerDeadline } from "@postern/shared/platform/concurrency";
import type { Secret } from "@postern/shared/platform/crypto";
import type { SecondFactorStore } from "./second-factor-store.ts";

/** What only another server asks about a request; its account and addresses are in the query. */
export type RequestFacts = Pick<AuthRequest, "session"> &
  Partial<Omit<AuthRequest, "password" | "operation" | keyof BackendQuery>>;

/** The part of a request that a backend gets; `protocol` selects the site's search or query. */
export interface BackendQuery {
  readonly username: string;
  readonly protocol: string;
  readonly clientIp?: string | undefined;
  readonly clientPort?: string | undefined;
  readonly localIp?: string | undefined;
  readonly localPort?: string | undefined;
  /** Absent for what nobody requested, such as a health check. */
  readonly request?: RequestFacts | undefined;
}

/** The account as its backend returns it. `attributes` holds only what the site configured for release. */
export interface BackendAccount {
  readonly account: string;
  /** The mapped identifier, which survives renames; empty if the account has none, absent if none is mapped. */
  readonly uniqueUserId?: string | undefined;
  readonly accountField: string;
  readonly totpSecretField: string;
  /** Lists of the account's own, because decisions refer to them. */
  readonly attributes: Record<string, string[]>;
  /** From the attribute or column that the site mapped; absent if none is mapped, or the account has none. */
  readonly displayName?: string | undefined;
  /** Names of the account's groups; absent if the site configured no group search. */
  readonly groups?: readonly string[] | undefined;
  /** DNs of the same groups; absent if the backend's groups have none. */
  readonly groupDns?: readonly string[] | undefined;
}

/** What the server says about a password that it accepted. */
export type PasswordWarning = NonNullable<Ok["passwordWarning"]>;

/**
 * The answers of a backend. Every failure (unavailable, slow, overloaded, ambiguous, unreadable data) is thrown as an
 * `AppError` of kind `unavailable`, because it decides nothing about the user. `not_served`: the site configured no
 * search of this backend for the protocol.
 */
export type VerifyOutcome =
  | { readonly kind: "ok"; readonly account: BackendAccount; readonly passwordWarning?: PasswordWarning | undefined }
  /**
   * `account`: the backend's own name for the account, if returned, so that guesses under its other names count
   * together. `detail`: what the backend reports about the account, one of a closed list of words, for logs only.
   */
  | { readonly kind: "wrong_password"; readonly account?: string | undefined; readonly detail?: string | undefined }
  | {
      readonly kind: "account_disabled";
      readonly account?: string | undefined;
      readonly detail?: string | undefined;
      /** The password is correct, and the user can sign in once it is changed. */
      readonly mustChangePassword?: boolean | undefined;
    }
  /** The stored password has an unknown scheme or is damaged: a fault of the site's data, whatever password was sent. */
  | {
      readonly kind: "password_unverifiable";
      readonly account?: string | undefined;
      readonly detail?: string | undefined;
    }
  | { readonly kind: "unknown_user" }
  /**
   * Another server denied the sign-in, which does not say whether it knows the account. `waitSeconds`: how long it asks the client to wait.
   */
  | { readonly kind: "denied"; readonly waitSeconds?: number | undefined }
  | { readonly kind: "not_served" };

export type LookupOutcome =
  | { readonly kind: "ok"; readonly account: BackendAccount }
  /** `isDisabled`: the account exists and is disabled. Only operators see that; for API callers the account is unknown. */
  | { readonly kind: "unknown_user"; readonly isDisabled?: true }
  /** Another server denied the look-up, which does not say whether it knows the account. */
  | { readonly kind: "denied" }
  | { readonly kind: "not_served" };

/** Selects the accounts to list: those after `position`, at most `limit`. */
export interface AccountPage {
  readonly position?: string | undefined;
  readonly limit: number;
}

/**
 * Where the next page begins. `isOpenHere`: the backend keeps the listing open, so only this object can return that page.
 */
export interface ListPosition {
  readonly text: string;
  readonly isOpenHere: boolean;
}

/**
 * A page of account names; without `next` it is the last one. Earlier pages may be short or empty. A backend that
 * cannot continue throws, so a list never ends early.
 */
export type ListOutcome =
  | { readonly kind: "ok"; readonly accounts: readonly string[]; readonly next?: ListPosition | undefined }
  | { readonly kind: "not_served" };

/** Time limit and cancellation of a backend call. `deadline` is by `steadyClock`. */
export type BackendContext = CallerDeadline;

/** Port of the site's backends (ADR 0008): one adapter for each kind. */
export interface Backend {
  readonly kind: BackendKind;
  readonly name: string;
  /** Second factors and app passwords; absent if the backend stores none. */
  readonly mfa?: SecondFactorStore | undefined;
  /** Never called with an empty password. */
  verify(query: BackendQuery, password: Secret, context: BackendContext): Promise<VerifyOutcome>;
  lookup(query: BackendQuery, context: BackendContext): Promise<LookupOutcome>;
  /** `not_served`: the site configured no listing of this backend for the protocol. */
  listAccounts(query: BackendQuery, page: AccountPage, context: BackendContext): Promise<ListOutcome>;
  /** Ends a listing whose next page at this position is no longer wanted. */
  endListing(position: string): void;
  /**
   * Costs as much as verifying a known user's wrong password, so that an unknown name does not show in the response
   * time. The outcome is discarded; it throws as `verify` does.
   */
  spendVerification(query: BackendQuery, password: Secret, context: BackendContext): Promise<void>;
  /**
   * Removes what this process remembers about an account (an entry, a DN, groups, its absence), under any of its names.
   * The backend's own data stays.
   */
  forget?(name: string): void;
  /** Resolves if the backend can answer now; otherwise throws the reason. For readiness and metrics. */
  check(context: BackendContext): Promise<void>;
  close(): Promise<void>;
}
