import type { MfaStatementName } from "./mfa-statements.ts";
import type { SqlServerSettings } from "./server-settings.ts";

/** Second factors and app passwords of a search's users. */
export interface SqlMfaSettings {
  /** Prefix of the names of Postern's own tables. */
  readonly tablePrefix: string;
  /** The site's own statements, used instead of those for Postern's tables. */
  readonly statements: Readonly<Partial<Record<MfaStatementName, string>>>;
}

/** One of the site's searches: the query for some protocols, and the meaning of its columns. */
export interface SqlSearchSettings {
  /** Matched exactly; `*` serves the protocols that no other entry names. */
  readonly protocols: readonly string[];
  /** Returns one row for a known name, none for an unknown one. May use `:username :localpart :domain :protocol`. */
  readonly userQuery: string;
  /** May use `:protocol`. */
  readonly listAccountsQuery?: string | undefined;
  /** Column with the canonical account name. */
  readonly accountField: string;
  readonly passwordColumn: string;
  /** Column with the TOTP secret; empty if the backend stores none. */
  readonly totpSecretField: string;
  /** Column that is true if the account must not sign in. */
  readonly disabledColumn?: string | undefined;
  /** Column with the display name. */
  readonly displayNameField?: string | undefined;
  /** Column with an identifier that survives renames. */
  readonly uniqueUserIdField?: string | undefined;
  /** Stores a better hash; may use `:account :password :old_password`. */
  readonly upgradePasswordQuery?: string | undefined;
  /** Absent if this search's users have no second factors here. */
  readonly mfa?: SqlMfaSettings | undefined;
  /** Columns to release, under their own names. */
  readonly attributes: readonly string[];
}

/** An SQL backend as configured by the site. */
export interface SqlBackendSettings {
  readonly name: string;
  readonly searches: readonly SqlSearchSettings[];
}

/** The database. */
export type SqlDatabaseSettings =
  | {
      readonly driver: "sqlite";
      /** Path of the SQLite database. */
      readonly file: string;
      /** Path of an SQL script that fills a new database. */
      readonly seedFile: string | undefined;
      /** How long a query waits for another process's lock. */
      readonly busyTimeoutMs: number;
    }
  | { readonly driver: "postgresql" | "mysql"; readonly servers: SqlServerSettings };
