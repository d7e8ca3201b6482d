import type { CallContext } from "../rpc/call-context.ts";

/** Whose artefacts. Without `protocol` the directory takes its search for `mfa`, else any that finds the user. */
export interface MfaQuery {
  readonly username: string;
  readonly protocol?: string | undefined;
}

/** What a directory may keep for an account. */
export type ArtefactKind = "totp" | "recovery_codes" | "webauthn" | "app_passwords";

/** The artefacts as they are stored: texts that only `second-factors.ts` and its neighbours understand. */
export interface StoredFactors {
  /** Plain, as provisioned, or sealed by us. */
  readonly totpSecret: string | undefined;
  /** Hashes, and plain codes that were provisioned. */
  readonly recoveryCodes: readonly string[];
  /** JSON objects, plain. */
  readonly webauthnCredentials: readonly string[];
}

/** An app password without the password: `digest` is of 256 bits and of no use to a thief. Times are epoch seconds. */
export interface StoredAppPassword {
  readonly id: string;
  readonly digest: string;
  readonly label: string;
  /** Empty: all. */
  readonly protocols: readonly string[];
  readonly createdAt: number;
  readonly lastUsedAt?: number | undefined;
}

/**
 * One account's artefacts in its directory. Storage only: what is sealed, hashed or compared is done above.
 *
 * Each method throws an `AppError` of kind `unavailable` when the directory cannot answer. Those of a kind that is not
 * in `supports` are never called. Nothing is cached: what another replica wrote a moment ago is seen.
 */
export interface MfaAccount {
  /** Canonical name. */
  readonly account: string;
  readonly displayName?: string | undefined;
  readonly uniqueUserId?: string | undefined;
  readonly supports: ReadonlySet<ArtefactKind>;

  /** Of kinds that are not supported, nothing. */
  readFactors(context: CallContext): Promise<StoredFactors>;

  /** Undefined deletes; that there was none is no error. */
  replaceTotpSecret(stored: string | undefined, context: CallContext): Promise<void>;

  /** All of them, at once; none deletes. */
  replaceRecoveryCodes(stored: readonly string[], context: CallContext): Promise<void>;
  /**
   * Deletes the one stored text. True for exactly one of any number of simultaneous callers at any number of
   * replicas (SQL: one row deleted; LDAP: delete of a value, where noSuchAttribute is false).
   */
  removeRecoveryCode(stored: string, context: CallContext): Promise<boolean>;

  addWebauthnCredential(stored: string, context: CallContext): Promise<void>;
  /** False when `old` is not stored byte for byte; of simultaneous callers with the same `old` one gets true. */
  replaceWebauthnCredential(old: string, stored: string, context: CallContext): Promise<boolean>;
  /** False when it was not stored. */
  removeWebauthnCredential(stored: string, context: CallContext): Promise<boolean>;

  listAppPasswords(context: CallContext): Promise<readonly StoredAppPassword[]>;
  addAppPassword(stored: StoredAppPassword, context: CallContext): Promise<void>;
  /** False when it was not there. */
  removeAppPassword(id: string, context: CallContext): Promise<boolean>;
  /** Notes the last use. Where the directory may not be written for it, nothing happens. */
  touchAppPassword(id: string, at: number, context: CallContext): Promise<void>;
}

/** `not_served`: no search of this directory is for the protocol. A disabled account is found too: it is managed. */
export type FindOutcome =
  | { readonly kind: "ok"; readonly account: MfaAccount; readonly isDisabled: boolean }
  | { readonly kind: "unknown_user" }
  | { readonly kind: "not_served" };

/** Port: the second factors and app passwords that one directory keeps, beside its accounts. */
export interface MfaArtefacts {
  find(query: MfaQuery, context: CallContext): Promise<FindOutcome>;
}
