import { DatabaseSync } from "node:sqlite";

export interface AccountsDatabase {
  readonly file: string;
  readonly count: number;
  /** Length of each name in characters. */
  readonly nameLength: number;
}

/** A SQLite directory with this many accounts, `u0000001…@example.test` in order, none of them with a password. */
export function createAccountsDatabase({ file, count, nameLength }: AccountsDatabase): void {
  const database = new DatabaseSync(file);
  database.exec("CREATE TABLE users (username TEXT PRIMARY KEY, password TEXT) STRICT, WITHOUT ROWID");
  const padding = "x".repeat(nameLength - "u0000000@example.test".length);
  database
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO users SELECT printf('u%07d', i) || ? || '@example.test', NULL FROM n`,
    )
    .run(count, padding);
  database.close();
}

/** `auth.backends` that serves and lists them, for the protocols `imap` and `account-provider`. */
export function accountsBackends(file: string): object {
  const search = {
    protocol: ["imap", "account-provider"],
    cache_name: "accounts",
    queries: {
      user: "SELECT username AS account, password FROM users WHERE username = :username",
      list_accounts: "SELECT username AS account FROM users",
    },
    mapping: { account_field: "account" },
  };
  return { order: ["sql"], sql: { default: { file }, search: [search] } };
}
