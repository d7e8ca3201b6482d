import type { MfaStatementName } from "./mfa-statements.ts";
import type { SqlServerSettings } from "./server-settings.ts";

/** Second factors and app passwords of a search's users. */
export interface SqlMfaSettings {
  /** What the names of Postern's own tables begin with. */
  readonly tablePrefix: string;
  /** The site's own statements, in place of those for our tables. */
  readonly statements: Readonly<Partial<Record<MfaStatementName, string>>>;
}

/** One of the site's searches: the query for some protocols, and what its columns mean. */
export interface SqlSearchSettings {
  /** Matched exactly; `*` serves the protocols that no other entry names. */
  readonly protocols: readonly string[];
  /** Gives one row for a known name, none for an unknown one. May use `:username :localpart :domain :protocol`. */
  readonly userQuery: string;
  /** May use `:protocol`. */
  readonly listAccountsQuery?: string | undefined;
  /** Column with the canonical account name. */
  readonly accountField: string;
  readonly passwordColumn: string;
  /** Column with the TOTP secret; empty when the directory keeps none. */
  readonly totpSecretField: string;
  /** Column that says, when true, that the account may not sign in. */
  readonly disabledColumn?: string | undefined;
  /** Column with a name for people. */
  readonly displayNameField?: string | undefined;
  /** Column with an identifier that outlives renames. */
  readonly uniqueUserIdField?: string | undefined;
  /** Stores a better hash; may use `:account :password :old_password`. */
  readonly upgradePasswordQuery?: string | undefined;
  /** Absent: this search's users have no second factors here. */
  readonly mfa?: SqlMfaSettings | undefined;
  /** Columns that are released, under their own names. */
  readonly attributes: readonly string[];
}

/** A SQL directory as the site configured it. */
export interface SqlDirectorySettings {
  readonly name: string;
  readonly searches: readonly SqlSearchSettings[];
}

/** Where its rows are. */
export type SqlDatabaseSettings =
  | {
      readonly driver: "sqlite";
      /** Path of the SQLite database. */
      readonly file: string;
      /** Path of a SQL script that fills the database when it is new. */
      readonly seedFile: string | undefined;
      /** How long a query waits for another process's lock. */
      readonly busyTimeoutMs: number;
    }
  | { readonly driver: "postgresql" | "mysql"; readonly servers: SqlServerSettings };
