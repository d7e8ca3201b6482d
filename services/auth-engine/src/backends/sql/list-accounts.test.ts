import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { AppError } from "@postern/shared/platform/errors";
import { scratchFolder } from "@postern/testing";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkListQuery, listAccounts } from "./list-accounts.ts";
import type { SqlClient } from "./sql-client.ts";
import type { SqlSearchSettings } from "./sql-settings.ts";
import { createSqliteClient } from "./sqlite-client.ts";

let folder: Awaited<ReturnType<typeof scratchFolder>>;
let file: string;
let database: DatabaseSync;

beforeEach(async () => {
  folder = await scratchFolder();
  file = join(folder.path, "accounts.sqlite");
  database = new DatabaseSync(file);
});
afterEach(async () => {
  database.close();
  await folder[Symbol.asyncDispose]();
});

const context = () => ({ deadline: Date.now() + 10_000, signal: new AbortController().signal });

function searchOf(listAccountsQuery: string): SqlSearchSettings {
  const fields = { accountField: "account", passwordColumn: "password", totpSecretField: "", attributes: [] };
  return { protocols: ["*"], userQuery: "SELECT 1", listAccountsQuery, ...fields };
}

async function listAll(statement: string, limit: number): Promise<string[]> {
  const client = createSqliteClient({ file, busyTimeoutMs: 100 });
  const names: string[] = [];
  let position: string | undefined;
  do {
    const page = { protocol: "imap", position, limit };
    const outcome = await listAccounts(client, searchOf(statement), page, context());
    if (outcome.kind !== "ok") throw new Error("not served");
    names.push(...outcome.accounts);
    position = outcome.next?.text;
  } while (position !== undefined);
  await client.close();
  return names;
}

function fill(names: readonly string[], declaration = "account TEXT"): void {
  database.exec(`DROP TABLE IF EXISTS users; CREATE TABLE users (${declaration})`);
  const insert = database.prepare("INSERT INTO users VALUES (?)");
  for (const name of names) insert.run(name);
}

const byBytes = (names: Iterable<string>): string[] =>
  [...new Set(names)].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

describe("pages of the site's list query", () => {
  test("contain every name exactly once, for any names and page sizes", async () => {
    const names = fc.array(fc.string({ unit: fc.constantFrom("a", "A", "b", "@", "'", '"', "%", "é", "𝒳", "\uffff") }));
    await fc.assert(
      fc.asyncProperty(names, fc.integer({ min: 1, max: 4 }), async (accountNames, limit) => {
        fill(accountNames, "account TEXT COLLATE NOCASE");
        expect(await listAll("SELECT account FROM users", limit)).toEqual(byBytes(accountNames));
      }),
      { numRuns: 40 },
    );
  });

  test.each([
    ["its own ORDER BY and a semicolon", "SELECT account FROM users ORDER BY account DESC;\n"],
    ["a comment at its end", "SELECT account FROM users -- everybody"],
    ["the account as its only column, under another name", "SELECT account AS name FROM users"],
    ["more columns than the account", "SELECT 1 AS one, account FROM users"],
    ["a parameter", "SELECT account FROM users WHERE :protocol = 'imap'"],
    ["a UNION and duplicate names", "SELECT account FROM users UNION ALL SELECT account FROM users"],
    ["a WITH", "WITH some AS (SELECT account FROM users) SELECT account FROM some"],
    ["rows without a name", "SELECT account FROM users UNION ALL SELECT NULL"],
  ])("support a query with %s", async (_what, statement) => {
    fill(["bob", "alice", "carol"]);
    expect(await listAll(statement, 2)).toEqual(["alice", "bob", "carol"]);
  });

  test.each([
    ["numbers", "SELECT 7 AS account UNION ALL SELECT account FROM users"],
    ["BLOBs", "SELECT account FROM users UNION ALL SELECT x'ff'"],
    ["text that is not UTF-8", "SELECT CAST(x'61ff' AS TEXT) AS account"],
    ["several columns, none of which is configured", "SELECT 1 AS one, 2 AS two"],
    ["no rows, because its table is missing", "SELECT account FROM missing"],
  ])("a query that returns %s is an error, not a short list", async (_what, statement) => {
    fill(["alice", "bob"]);
    await expect(listAll(statement, 1)).rejects.toThrow(AppError);
  });

  test("the check of the backend rejects a query that can never work", async () => {
    fill(["alice"]);
    const client = createSqliteClient({ file, busyTimeoutMs: 100 });
    await checkListQuery(searchOf("SELECT account FROM users"), client, context());
    await expect(checkListQuery(searchOf("SELECT 7 AS account"), client, context())).rejects.toThrow("CAST");
    await client.close();
  });

  test("with an index in binary order, a page reads only its own rows", async () => {
    database.exec("CREATE TABLE users (account TEXT PRIMARY KEY, enabled INTEGER) WITHOUT ROWID");
    const client = createSqliteClient({ file, busyTimeoutMs: 100 });
    const statements: string[] = [];
    const observed: SqlClient = {
      ...client,
      query: (query, callContext) => {
        statements.push(query.statement);
        return client.query(query, callContext);
      },
    };
    const search = searchOf("SELECT account FROM users WHERE enabled = 1 ORDER BY account");
    await listAccounts(observed, search, { protocol: "imap", position: "user0000001", limit: 100 }, context());
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${statements[0] ?? ""}`).all();
    expect(plan.map((step) => step["detail"])).toEqual(["SEARCH users USING PRIMARY KEY (account>?)"]);
    await client.close();
  });
});
