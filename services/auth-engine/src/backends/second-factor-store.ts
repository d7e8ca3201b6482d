import type { CallContext } from "../pipeline/attempt.ts";

/** Whose credentials. Without `protocol`, the backend uses its search for `mfa`, or else any that finds the user. */
export interface MfaQuery {
  readonly username: string;
  readonly protocol?: string | undefined;
}

/** What a backend may store for an account. */
export const factorKinds = ["totp", "recovery_codes", "webauthn", "app_passwords"] as const;
export type FactorKind = (typeof factorKinds)[number];

/** The credentials as stored: texts that only the folder `second-factors` interprets. */
export interface StoredFactors {
  /** In plain text, as provisioned, or encrypted by Postern. */
  readonly totpSecret: string | undefined;
  /** Hashes, and plain codes that were provisioned. */
  readonly recoveryCodes: readonly string[];
  /** JSON objects, plain. */
  readonly webauthnCredentials: readonly string[];
}

/** An app password without the password itself: a thief cannot use the 256-bit digest. Times are in epoch seconds. */
export interface StoredAppPassword {
  readonly id: string;
  readonly digest: string;
  readonly label: string;
  /** Empty means all. */
  readonly protocols: readonly string[];
  readonly createdAt: number;
  readonly lastUsedAt?: number | undefined;
}

/**
 * One account's credentials in its backend. Storage only: encryption, hashing and comparison happen above this port.
 *
 * Each method throws an `AppError` of kind `unavailable` if the backend cannot answer. Methods of kinds that are not in
 * `supports` are never called. Nothing is cached: a change by another replica is visible immediately.
 */
export interface MfaAccount {
  /** Canonical name. */
  readonly account: string;
  /** DN of the account's LDAP entry. Several searches may name the same entry differently. */
  readonly dn?: string | undefined;
  readonly displayName?: string | undefined;
  readonly uniqueUserId?: string | undefined;
  readonly supports: ReadonlySet<FactorKind>;

  /** Empty for kinds that are not supported. */
  readFactors(context: CallContext): Promise<StoredFactors>;

  /** Undefined deletes the secret; deleting a missing one is not an error. */
  replaceTotpSecret(stored: string | undefined, context: CallContext): Promise<void>;

  /** Replaces all codes in one step; an empty list deletes them. */
  replaceRecoveryCodes(stored: readonly string[], context: CallContext): Promise<void>;
  /**
   * Deletes one stored text. Returns true to exactly one of any number of simultaneous callers at any number of
   * replicas (SQL: one row deleted; LDAP: delete of a value, where noSuchAttribute means false).
   */
  removeRecoveryCode(stored: string, context: CallContext): Promise<boolean>;

  addWebauthnCredential(stored: string, context: CallContext): Promise<void>;
  /** False if `old` is not stored byte for byte; of simultaneous callers with the same `old`, one gets true. */
  replaceWebauthnCredential(old: string, stored: string, context: CallContext): Promise<boolean>;
  /** False if it was not stored. */
  removeWebauthnCredential(stored: string, context: CallContext): Promise<boolean>;

  listAppPasswords(context: CallContext): Promise<readonly StoredAppPassword[]>;
  addAppPassword(stored: StoredAppPassword, context: CallContext): Promise<void>;
  /** False if it did not exist. */
  removeAppPassword(id: string, context: CallContext): Promise<boolean>;
  /** Records the last use. Does nothing if the backend must not be written for it. */
  touchAppPassword(id: string, at: number, context: CallContext): Promise<void>;
}

/**
 * `not_served`: no search of this backend serves the protocol. Disabled accounts are found too, so that they can be
 * managed.
 */
export type FindOutcome =
  | { readonly kind: "ok"; readonly account: MfaAccount; readonly isDisabled: boolean }
  | { readonly kind: "unknown_user" }
  | { readonly kind: "not_served" };

/** An account that holds a WebAuthn credential; with its DN if it is an LDAP entry. */
export interface CredentialHolder {
  readonly account: string;
  readonly dn?: string | undefined;
}

/**
 * Which credential is searched for, and where: in the account that the query names, at the beginning of the stored texts,
 * which an index of the backend can serve, or anywhere in them.
 */
export interface CredentialSearch {
  /** base64url without padding. */
  readonly id: string;
  readonly by: "name" | "start" | "content";
}

/** Port: the second factors and app passwords that one backend stores beside its accounts. */
export interface SecondFactorStore {
  findAccount(query: MfaQuery, context: CallContext): Promise<FindOutcome>;
  /**
   * Sends the requests that `findAccount` sends for a known name beyond those for an unknown one. The account does not exist: what is read of it
   * is empty, or fails. Undefined if the query is not served.
   */
  pretendAccount(query: MfaQuery, context: CallContext): Promise<MfaAccount | undefined>;
  /**
   * The accounts that hold a WebAuthn credential; none if the backend cannot be searched for it. Strangers can cause a search by name or
   * by start, so it sends the same requests whether or not the account or the credential exists.
   */
  findHolders(search: CredentialSearch, query: MfaQuery, context: CallContext): Promise<readonly CredentialHolder[]>;
}
