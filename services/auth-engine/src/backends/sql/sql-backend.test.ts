import { createSecretKey } from "node:crypto";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { createDecoys, createPasswordVerifier, parseStoredPassword } from "@postern/shared/domain/passwords";
import { createKeyedDigest, Secret } from "@postern/shared/platform/crypto";
import { scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seedDatabase } from "./seed.ts";
import { createSqlBackend, type SqlBackendDeps } from "./sql-backend.ts";
import type { SqlSearchSettings } from "./sql-settings.ts";
import { createSqliteClient } from "./sqlite-client.ts";

const demoSeed = fileURLToPath(new URL("../../../../../config/demo-directory.sql", import.meta.url));
const secretHash = "{SSHA}1G904nLkTkGWjKNnQuB/hpWXC/hzYWx0c2FsdA==";

const search: SqlSearchSettings = {
  protocols: ["*"],
  userQuery: `SELECT username AS account, password, NOT enabled AS disabled, display_name AS "displayName", mail, uid,
    totp_secret AS "totpSecret" FROM users WHERE username = :username COLLATE NOCASE`,
  accountField: "account",
  passwordColumn: "password",
  totpSecretField: "totpSecret",
  disabledColumn: "disabled",
  attributes: ["displayName", "mail", "uid", "totpSecret"],
};

const passwords = createPasswordVerifier({ concurrency: 2, maxQueued: 50 });
let folder: Awaited<ReturnType<typeof scratchFolder>>;
let demo: string;
beforeAll(async () => {
  folder = await scratchFolder();
  demo = join(folder.path, "demo.sqlite");
  await seedDatabase({ file: demo, seedFile: demoSeed, waitMs: 1000 });
  const database = new DatabaseSync(demo);
  database.exec(`INSERT INTO users (username, password, display_name, mail, uid, enabled) VALUES
    ('off@example.test', '${secretHash}', 'Off', 'off@example.test', 'off', 0),
    ('null@example.test', NULL, 'Null', 'null@example.test', 'null', 1),
    ('empty@example.test', '', 'Empty', 'empty@example.test', 'empty', 1),
    ('plain@example.test', 'secret', 'Plain', 'plain@example.test', 'plain', 1),
    ('des@example.test', 'abJnggxhB/yWI', 'DES', 'des@example.test', 'des', 1),
    ('damaged@example.test', '{SSHA}short', 'Damaged', 'damaged@example.test', 'damaged', 1),
    ('locked@example.test', '!${secretHash}', 'Locked', 'locked@example.test', 'locked', 1),
    ('starred@example.test', '*LK*', 'Starred', 'starred@example.test', 'starred', 1)`);
  database.close();
});
afterAll(async () => {
  await passwords.close();
  await folder[Symbol.asyncDispose]();
});

const context = () => ({ deadline: Date.now() + 10_000, signal: new AbortController().signal });

const digest = createKeyedDigest(createSecretKey(Buffer.from("a key of the test")));

function open(
  searches: readonly SqlSearchSettings[] = [search],
  file = demo,
  more: Partial<Pick<SqlBackendDeps, "onUnverifiable" | "decoys">> = {},
) {
  const client = createSqliteClient({ file, busyTimeoutMs: 100 });
  const decoys = createDecoys(digest, []);
  return createSqlBackend({ settings: { name: "test", searches }, client, passwords, decoys, ...more });
}

async function verify(username: string, password: string, { searches = [search], protocol = "imap" } = {}) {
  return open(searches).verify({ username, protocol }, new Secret(password), context());
}

/** A search without a table: `select` returns the rows for every name. */
function fixed(select: string, more: Partial<SqlSearchSettings> = {}): { searches: SqlSearchSettings[] } {
  const { disabledColumn: _, ...rest } = search;
  const userQuery = select.startsWith("SELECT") ? `SELECT * FROM (${select}) WHERE :username IS NOT NULL` : select;
  return { searches: [{ ...rest, userQuery, totpSecretField: "", attributes: [], ...more }] };
}

const lookup = (username: string) => open().lookup({ username, protocol: "imap" }, context());

const named = (account: string, protocols: string[]) =>
  fixed(`SELECT '${account}' AS account, '${secretHash}' AS password`, { protocols }).searches;
const accountFor = async (protocol: string, searches: SqlSearchSettings[]) => {
  const outcome = await verify("x", "secret", { searches, protocol });
  return outcome.kind === "ok" ? outcome.account.account : outcome.kind;
};

describe("createSqlBackend", () => {
  it.each(["alice", "bob", "carol"])("accepts the demo's %s and returns the released attributes", async (name) => {
    const outcome = await verify(`${name}@EXAMPLE.test`, `${name}-demo-password`);
    const attributes = {
      displayName: [`${name[0]?.toUpperCase()}${name.slice(1)} Example`],
      mail: [`${name}@example.test`],
      uid: [name],
      ...(name === "bob" ? { totpSecret: ["JBSWY3DPEHPK3PXP"] } : {}),
    };
    const account = {
      account: `${name}@example.test`,
      accountField: "account",
      totpSecretField: "totpSecret",
      attributes,
    };
    expect(outcome).toEqual({ kind: "ok", account });
  });

  it("distinguishes a wrong password from an unknown user", async () => {
    expect(await verify("alice@example.test", "bob-demo-password")).toEqual({
      kind: "wrong_password",
      account: "alice@example.test",
    });
    expect(await verify("nobody@example.test", "x")).toEqual({ kind: "unknown_user" });
  });

  it("reports a disabled account only if the password is correct", async () => {
    expect(await verify("off@example.test", "guess")).toMatchObject({ kind: "wrong_password" });
    expect(await verify("off@example.test", "secret")).toEqual({ kind: "account_disabled" });
  });

  it("does not find a disabled account in a lookup, but knows that it is disabled", async () => {
    expect(await lookup("off@example.test")).toEqual({ kind: "unknown_user", isDisabled: true });
    expect(await lookup("alice@example.test")).toMatchObject({
      kind: "ok",
      account: { account: "alice@example.test" },
    });
    expect(await lookup("nobody@example.test")).toEqual({ kind: "unknown_user" });
  });

  it.each([
    ["null", "account_disabled", "password_locked"],
    ["empty", "account_disabled", "password_locked"],
    ["locked", "account_disabled", "password_locked"],
    ["starred", "account_disabled", "password_locked"],
    ["plain", "password_unverifiable", "password_unknown_scheme"],
    ["des", "password_unverifiable", "password_unknown_scheme"],
    ["damaged", "password_unverifiable", "password_damaged"],
  ])("denies an account whose stored password is %s at the cost of a verification", async (name, kind, detail) => {
    const before = passwords.load().startedTotal;
    const account = `${name}@example.test`;
    expect(await verify(account, "secret")).toEqual({ kind, account, detail });
    expect(passwords.load().startedTotal).toBe(before + 1);
  });

  it("reports accounts whose stored password cannot be verified, by account and reason, never with the stored text", async () => {
    const reports: unknown[] = [];
    const backend = open([search], demo, { onUnverifiable: (...report) => reports.push(report) });
    for (const name of ["locked", "des", "alice"]) {
      await backend.verify({ username: `${name}@example.test`, protocol: "imap" }, new Secret("x"), context());
    }
    expect(reports).toEqual([
      ["locked", "locked@example.test"],
      ["unknown_scheme", "des@example.test"],
    ]);
  });

  it("verifies the decoy for an unknown user, whichever hash was read last", async () => {
    const backend = open();
    const query = { username: "nobody@example.test", protocol: "imap" };
    const spend = () => backend.spendVerification(query, new Secret("x"), context());
    const before = passwords.load().startedTotal;
    await spend();
    expect(passwords.load().startedTotal).toBe(before + 1);
    await backend.verify({ ...query, username: "off@example.test" }, new Secret("x"), context());
    await spend();
    // A salted SHA does not count at the concurrency gate, but the decoy of the unknown user still does.
    expect(passwords.load().startedTotal).toBe(before + 2);
  });

  it("verifies the configured decoys for an unknown user", async () => {
    const stored = parseStoredPassword(secretHash);
    if (stored === undefined) throw new TypeError("unreadable");
    const backend = open([search], demo, { decoys: createDecoys(digest, [{ stored, weight: 1 }]) });
    const before = passwords.load().startedTotal;
    await backend.spendVerification({ username: "nobody", protocol: "imap" }, new Secret("x"), context());
    expect(passwords.load().startedTotal).toBe(before);
  });

  it.each([
    "' OR '1'='1",
    "alice@example.test' --",
    "alice@example.test\0",
    "x' UNION SELECT 'a', 'b', 0, 'c', 'd', 'e', 'f' --",
    "%",
    "'; DROP TABLE users; --",
    ":username",
  ])("uses a name as a value, never as SQL: %s", async (username) => {
    expect(await verify(username, "alice-demo-password")).toEqual({ kind: "unknown_user" });
    expect(await verify("alice@example.test", "alice-demo-password")).toMatchObject({ kind: "ok" });
  });

  it("uses the search of the protocol, otherwise the one for all protocols, otherwise none", async () => {
    const both = [...named("all", ["*"]), ...named("mail", ["imap", "pop3"])];
    expect(await accountFor("pop3", both)).toBe("mail");
    expect(await accountFor("smtp", both)).toBe("all");
    expect(await accountFor("smtp", named("mail", ["imap", "pop3"]))).toBe("not_served");
  });

  it.each([
    ["user@sub@example.test", "user@sub", "example.test"],
    ["user", "user", ""],
    ["user@", "user", ""],
  ])("passes the parts of %s to the query", async (username, localpart, domain) => {
    const select = `SELECT :localpart || '|' || :domain || '|' || :protocol AS account, '${secretHash}' AS password`;
    expect(await verify(username, "secret", fixed(select))).toMatchObject({
      account: { account: `${localpart}|${domain}|imap` },
    });
  });

  it("converts numbers to text, omits NULL and keeps text unchanged", async () => {
    const select = `SELECT 'a' AS account, '${secretHash}' AS password,
      9007199254740993 AS big, 1.5 AS real, NULL AS absent, '["x","y"]' AS json, 'no' AS unasked`;
    const outcome = await verify("a", "secret", fixed(select, { attributes: ["big", "real", "absent", "json"] }));
    expect(outcome).toMatchObject({ kind: "ok" });
    expect(outcome.kind === "ok" && outcome.account.attributes).toEqual({
      big: ["9007199254740993"],
      real: ["1.5"],
      json: ['["x","y"]'],
    });
  });

  it.each([
    ["several rows", "SELECT 'a' AS account, 'p' AS password UNION ALL SELECT 'b', 'p'", "DIRECTORY_AMBIGUOUS"],
    ["a BLOB as password", "SELECT 'a' AS account, x'00' AS password", "DIRECTORY_DATA"],
    ["no password column", "SELECT 'a' AS account", "DIRECTORY_DATA"],
    ["no account", `SELECT NULL AS account, '${secretHash}' AS password`, "DIRECTORY_DATA"],
    ["no account column", `SELECT '${secretHash}' AS password`, "DIRECTORY_DATA"],
    ["a missing table", "SELECT * FROM nothing", "DIRECTORY_UNAVAILABLE"],
    ["a syntax error", "nonsense :username", "DIRECTORY_UNAVAILABLE"],
    ["a statement that writes", "DELETE FROM users WHERE username = :username", "DIRECTORY_UNAVAILABLE"],
  ])("fails with an error for a query with %s", async (_what, select, code) => {
    await expect(verify("a", "secret", fixed(select))).rejects.toMatchObject({ code });
  });

  it.each([
    ["0", "ok"],
    ["NULL", "ok"],
    ["''", "ok"],
    ["'No'", "ok"],
    ["'false'", "ok"],
    ["1", "account_disabled"],
    ["'Y'", "account_disabled"],
    ["'2026-01-01'", "account_disabled"],
  ])("reads %s in the disabled column as %s", async (value, kind) => {
    const select = `SELECT 'a' AS account, '${secretHash}' AS password, ${value} AS off`;
    expect(await verify("a", "secret", fixed(select, { disabledColumn: "off" }))).toMatchObject({ kind });
  });

  it.each([
    ["an unknown parameter", fixed("SELECT :username, :user AS account").searches],
    ["a positional parameter", fixed("SELECT ? AS account").searches],
    ["a user query that selects every user", [{ ...search, userQuery: "SELECT * FROM users -- :username" }]],
    [
      "a user query that selects a whole domain",
      [{ ...search, userQuery: "SELECT * FROM users WHERE domain = :domain" }],
    ],
    [
      "a password upgrade that changes every user",
      fixed("SELECT 1", { upgradePasswordQuery: "UPDATE users SET p = :password" }).searches,
    ],
    [
      "a second-factor statement that selects every user",
      fixed("SELECT 1", { mfa: { tablePrefix: "x_", statements: { totp_read: "SELECT secret FROM totp" } } }).searches,
    ],
    ["a username parameter in a list query", fixed("SELECT 1", { listAccountsQuery: "SELECT :username" }).searches],
    ["a released password column", fixed("SELECT 1", { attributes: ["password"] }).searches],
    ["no search at all", []],
  ])("rejects settings with %s at startup", (_what, searches) => {
    expect(() => open(searches)).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
  });

  it("is ready if each query runs and returns the configured columns", async () => {
    await expect(open().check(context())).resolves.toBeUndefined();
    const lacking = open([{ ...search, attributes: ["displayName", "quota"] }]).check(context());
    await expect(lacking).rejects.toMatchObject({ code: "DIRECTORY_DATA", message: expect.stringContaining("quota") });
    const missing = open([search], join(folder.path, "missing.sqlite")).check(context());
    await expect(missing).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
  });

  it("does not query the database after it is closed", async () => {
    const copy = join(folder.path, "copy.sqlite");
    await copyFile(demo, copy);
    const backend = open([search], copy);
    await backend.check(context());
    await backend.close();
    await expect(backend.check(context())).rejects.toMatchObject({ code: "SHUTTING_DOWN" });
  });
});
