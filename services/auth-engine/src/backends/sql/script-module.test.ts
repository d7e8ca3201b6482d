import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { LuaValue } from "@postern/shared/domain/scripts";
import { scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sqlModule } from "./script-module.ts";
import type { SqlClient } from "./sql-client.ts";
import { createSqliteClient } from "./sqlite-client.ts";

describe("sql, with a real SQLite database", () => {
  let owned: AsyncDisposableStack;
  let client: SqlClient;
  beforeAll(async () => {
    await using starting = new AsyncDisposableStack();
    const folder = starting.use(await scratchFolder());
    const file = join(folder.path, "site.sqlite");
    const database = new DatabaseSync(file);
    database.exec("CREATE TABLE quotas (name TEXT PRIMARY KEY, quota INTEGER, note TEXT) STRICT");
    database.exec("INSERT INTO quotas VALUES ('alice', 5, NULL), ('bob', 9007199254740993, 'x')");
    database.close();
    client = createSqliteClient({ file, busyTimeoutMs: 100 });
    starting.defer(() => client.close());
    owned = starting.move();
  });
  afterAll(() => owned.disposeAsync());

  const call = (name: string, ...args: readonly LuaValue[]) =>
    sqlModule((pool) => (pool === "default" ? client : undefined))[name]?.(args, {
      script: "x.lua",
      deadline: Date.now() + 60_000,
      signal: AbortSignal.timeout(60_000),
    });
  const quota = "SELECT quota, note FROM quotas WHERE name = :name";

  test("rows are returned as tables, and NULL as nil", async () => {
    expect(await call("sql.query", "default", quota, { name: "alice" })).toEqual([{ quota: 5, note: undefined }]);
    expect(await call("sql.query", "default", quota, { name: "nobody" })).toEqual([]);
  });

  test("a parameter is never interpreted as SQL", async () => {
    expect(await call("sql.query", "default", quota, { name: "x' OR '1'='1" })).toEqual([]);
  });

  test("a change returns the number of rows that it matched", async () => {
    const set = "UPDATE quotas SET note = :note WHERE name = :name";
    expect(await call("sql.execute", "default", set, { name: "alice", note: "seen" })).toBe(1);
    expect(await call("sql.execute", "default", set, { name: "nobody", note: "seen" })).toBe(0);
  });

  test("a transaction is carried out completely or not at all", async () => {
    const remove = { statement: "DELETE FROM quotas WHERE name = :name", parameters: { name: "alice" } };
    const wrong = { statement: "INSERT INTO quotas VALUES ('bob', 1, NULL)" };
    await expect(call("sql.transaction", "default", [remove, wrong])).rejects.toThrow("UNIQUE");
    expect(await call("sql.query", "default", quota, { name: "alice" })).toHaveLength(1);
    expect(await call("sql.transaction", "default", [remove, remove])).toEqual([1, 0]);
  });

  test.each([
    ["sql.query", ["other", "SELECT 1"], "unknown pool other"],
    ["sql.query", ["default"], "statement must be a string"],
    ["sql.query", ["default", "SELECT 1", { a: true }], "parameters.a must be a string"],
    ["sql.transaction", ["default", "SELECT 1"], "statements must be a list"],
  ] as const)("%s rejects %j", async (name, args, reason) => {
    await expect(call(name, ...args)).rejects.toThrow(reason);
  });
});
