import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { poll, scratchFolder } from "@postern/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SqlClient } from "./sql-client.ts";
import { createSqliteClient } from "./sqlite-client.ts";

let folder: Awaited<ReturnType<typeof scratchFolder>>;
let file: string;
let client: SqlClient;
beforeEach(async () => {
  folder = await scratchFolder();
  file = join(folder.path, "users.sqlite");
  client = createSqliteClient({ file, busyTimeoutMs: 150 });
});
afterEach(async () => {
  await client.close();
  await folder[Symbol.asyncDispose]();
});

const context = (remainingMs = 10_000, signal = new AbortController().signal) => ({
  deadline: Date.now() + remainingMs,
  signal,
});

function writeDatabase(path: string, name: string): void {
  const database = new DatabaseSync(path);
  database.exec("CREATE TABLE users (name TEXT)");
  database.prepare("INSERT INTO users VALUES (?)").run(name);
  database.close();
}

const statement = "SELECT name FROM users";

async function readName(): Promise<unknown> {
  const [row] = await client.query({ statement, parameters: {}, maxRows: 1 }, context());
  return row?.["name"];
}

const becomes = (name: string) =>
  poll(`the name ${name}`, async () => (await readName().catch(() => undefined)) === name, 5000);

describe("createSqliteClient", () => {
  it("binds the parameters of a statement and reads no more rows than requested", async () => {
    writeDatabase(file, "first");
    const query = {
      statement: "SELECT :a AS x UNION ALL SELECT :a UNION ALL SELECT 3",
      parameters: { a: "1", b: "2" },
    };
    expect(await client.query({ ...query, maxRows: 2 }, context())).toEqual([{ x: "1" }, { x: "1" }]);
    expect(await client.query({ ...query, maxRows: 5 }, context())).toHaveLength(3);
    expect(await client.describe(query.statement, context())).toEqual(["x"]);
  });

  it("reports a locked database as unavailable while it is locked, does not block the event loop, and recovers", async () => {
    writeDatabase(file, "first");
    const writer = new DatabaseSync(file);
    writer.exec("BEGIN EXCLUSIVE");
    let turns = 0;
    const counter = setInterval(() => {
      turns += 1;
    }, 5);
    await expect(readName()).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
    clearInterval(counter);
    expect(turns).toBeGreaterThan(3);

    const patient = createSqliteClient({ file, busyTimeoutMs: 5000 });
    const waiting = patient.query({ statement, parameters: {}, maxRows: 1 }, context());
    const late = patient.query({ statement, parameters: {}, maxRows: 1 }, context(30));
    const abort = new AbortController();
    const aborted = patient.query({ statement, parameters: {}, maxRows: 1 }, context(10_000, abort.signal));
    abort.abort();
    await Promise.all([
      expect(aborted).rejects.toMatchObject({ code: "REQUEST_ABORTED" }),
      expect(late).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" }),
    ]);
    writer.exec("COMMIT");
    writer.close();
    expect(await waiting).toEqual([{ name: "first" }]);
    expect(await readName()).toBe("first");
    await patient.close();
  });

  it("is unavailable while its file is missing, and answers once the file exists", async () => {
    await expect(readName()).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
    writeDatabase(file, "first");
    await becomes("first");
  });

  it("reads the new file when the file is replaced", async () => {
    writeDatabase(file, "first");
    expect(await readName()).toBe("first");
    writeDatabase(`${file}.new`, "second");
    await rename(`${file}.new`, file);
    await becomes("second");
  });

  it("stops answering from a deleted file, and answers from the file that replaces it", async () => {
    writeDatabase(file, "first");
    expect(await readName()).toBe("first");
    await rm(file);
    const gone = await poll(
      "the file to be missed",
      () =>
        readName().then(
          () => undefined,
          (error: unknown) => error,
        ),
      5000,
    );
    expect(gone).toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
    writeDatabase(file, "second");
    await becomes("second");
  });

  it("is unavailable while the file is not a database, and recovers when it is replaced by one", async () => {
    await writeFile(file, "no database ".repeat(1000));
    await expect(readName()).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
    await rm(file);
    writeDatabase(file, "first");
    await becomes("first");
  });

  it("is unavailable while the table is missing, and answers once it exists", async () => {
    const writer = new DatabaseSync(file);
    writer.exec("PRAGMA journal_mode = WAL; CREATE TABLE other (name TEXT)");
    await expect(readName()).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
    writer.exec("CREATE TABLE users (name TEXT); INSERT INTO users VALUES ('first')");
    expect(await readName()).toBe("first");
    await setImmediate();
    writer.exec("UPDATE users SET name = 'second'");
    expect(await readName()).toBe("second");
    writer.close();
    expect(await readName()).toBe("second");
  });

  const query = { statement, parameters: {}, maxRows: 1 };
  const names = async (): Promise<unknown[]> => (await client.query(query, context())).map(({ name }) => name);

  it.each([
    ["with a limit", "WITH u AS (SELECT * FROM users) SELECT * FROM u ORDER BY rank DESC"],
    ["row by row", "SELECT * FROM users ORDER BY rank DESC; -- all"],
  ])("returns rows in the order of the query, with the current columns of the schema: %s", async (_how, text) => {
    const writer = new DatabaseSync(file);
    writer.exec("CREATE TABLE users (name TEXT, rank INTEGER); INSERT INTO users VALUES ('a', 1), ('c', 3), ('b', 2)");
    const rows = () => client.query({ statement: text, parameters: {}, maxRows: 2 }, context());
    expect(await rows()).toEqual([
      { name: "c", rank: 3n },
      { name: "b", rank: 2n },
    ]);
    await setImmediate();
    writer.exec("ALTER TABLE users RENAME COLUMN name TO login; ALTER TABLE users ADD COLUMN note TEXT DEFAULT 'new'");
    for (const _time of ["first", "second"]) {
      expect(await rows()).toEqual([
        { login: "c", rank: 3n, note: "new" },
        { login: "b", rank: 2n, note: "new" },
      ]);
      await setImmediate();
    }
    writer.exec("ALTER TABLE users RENAME TO old; CREATE TABLE users (note TEXT, rank INTEGER, login TEXT)");
    writer.exec("INSERT INTO users SELECT 'moved', rank, login FROM old; DROP TABLE old");
    for (const _time of ["first", "second"]) {
      expect((await rows())[0]).toEqual({ login: "c", rank: 3n, note: "moved" });
      expect(await client.describe(text, context())).toEqual(["note", "rank", "login"]);
      await setImmediate();
    }
    writer.close();
  });

  it.each([
    [
      "the same column twice",
      "SELECT 1 AS x, 2 AS x UNION ALL SELECT 3, 4 UNION ALL SELECT 5, 6",
      [{ x: 2n }, { x: 4n }],
    ],
    ["a statement other than SELECT", "PRAGMA table_info(users)", [expect.objectContaining({ name: "name" })]],
  ])("reads statements to which no LIMIT can be added: %s", async (_what, text, expected) => {
    writeDatabase(file, "first");
    expect(await client.query({ statement: text, parameters: {}, maxRows: 2 }, context())).toEqual(expected);
  });

  it.each(["DELETE", "WAL"])("holds no lock after reading (journal %s)", async (mode) => {
    writeDatabase(file, "first");
    const writer = new DatabaseSync(file);
    writer.exec(`PRAGMA journal_mode = ${mode}`);
    const together = [names(), names(), names()];
    expect(await Promise.all(together)).toEqual([["first"], ["first"], ["first"]]);
    await setImmediate();
    // Without a busy timeout, so that a lock would be an error.
    writer.exec("PRAGMA busy_timeout = 0; UPDATE users SET name = 'second'");
    expect(await names()).toEqual(["second"]);
    writer.close();
  });

  it.each(["DELETE", "WAL"])("sees its own writes immediately (journal %s)", async (mode) => {
    writeDatabase(file, "first");
    const setting = new DatabaseSync(file);
    setting.exec(`PRAGMA journal_mode = ${mode}`);
    setting.close();
    const change = { statement: "UPDATE users SET name = :name", parameters: { name: "second" } };
    const before = names();
    const written = client.execute([change], context());
    const after = names();
    expect(await before).toEqual(["first"]);
    expect(await written).toEqual([1]);
    expect(await after).toEqual(["second"]);
  });
});

it("answers the first query after a missing table was restored", async () => {
  writeDatabase(file, "alice");
  expect(await readName()).toBe("alice");
  using writer = new DatabaseSync(file);
  await setImmediate();
  writer.exec("ALTER TABLE users RENAME TO elsewhere");
  await expect(readName()).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
  await setImmediate();
  writer.exec("ALTER TABLE elsewhere RENAME TO users");
  expect(await readName()).toBe("alice");
});
