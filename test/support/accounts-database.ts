import { createHash } from "node:crypto";
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

/** An account with alice's password in the demo's directory, until it is disposed of. */
export function copyOfAlice(file: string, name: string): Disposable {
  const run = (sql: string): void => {
    using database = new DatabaseSync(file);
    database.prepare(sql).run(name);
  };
  run(
    "INSERT INTO users (username, password, display_name, mail, uid) SELECT ?, password, 'Copy', '', '' FROM users WHERE uid = 'alice'",
  );
  return { [Symbol.dispose]: () => run("DELETE FROM users WHERE username = ?") };
}

/** A salted hash that takes no time to verify, for tests that send many requests. */
export function saltedHash(password: string): string {
  const salt = Buffer.from("test-salt");
  const digest = createHash("sha256").update(password).update(salt).digest();
  return `{SSHA256}${Buffer.concat([digest, salt]).toString("base64")}`;
}

/** Writes users with their stored passwords to a SQLite file. */
export function writeUsers(file: string, users: Iterable<readonly [username: string, stored: string]>): void {
  const database = new DatabaseSync(file);
  database.exec("CREATE TABLE users (username TEXT PRIMARY KEY, password TEXT) STRICT, WITHOUT ROWID");
  const insert = database.prepare("INSERT INTO users VALUES (?, ?)");
  // Otherwise each row is written to the disk separately.
  database.exec("BEGIN");
  for (const [username, stored] of users) insert.run(username, stored);
  database.exec("COMMIT");
  database.close();
}

/** `auth.backends` that serves them for all protocols. */
export function usersBackends(file: string, order: readonly string[] = ["sql"]): object {
  const search = {
    protocol: ["*"],
    cache_name: "users",
    queries: {
      user: "SELECT username AS account, password FROM users WHERE username = :username",
      list_accounts: "SELECT username AS account FROM users",
    },
    mapping: { account_field: "account" },
  };
  return { order, sql: { default: { file }, search: [search] } };
}
