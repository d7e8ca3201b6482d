import { execFile } from "node:child_process";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { scratchFolder } from "@postern/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { seedDatabase } from "./seed.ts";

let folder: Awaited<ReturnType<typeof scratchFolder>>;
let file: string;
let seedFile: string;
beforeEach(async () => {
  folder = await scratchFolder();
  file = join(folder.path, "deep", "folder", "users.sqlite");
  seedFile = join(folder.path, "seed.sql");
  await writeFile(seedFile, "CREATE TABLE users (name TEXT); INSERT INTO users VALUES ('seeded');");
});
afterEach(() => folder[Symbol.asyncDispose]());

function readNames(): unknown[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const names = database
    .prepare("SELECT name FROM users")
    .all()
    .map((row) => row["name"]);
  database.close();
  return names;
}

const seed = () => seedDatabase({ file, seedFile, waitMs: 5000 });

/** Runs the seed in a separate process and returns whether it filled the database. */
async function seedInChild(): Promise<string> {
  const module = JSON.stringify(new URL("./seed.ts", import.meta.url).href);
  const options = JSON.stringify({ file, seedFile, waitMs: 20_000 });
  const script = `import(${module}).then((m) => m.seedDatabase(${options})).then(console.log)`;
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", script]);
  return stdout.trim();
}

describe("seedDatabase", () => {
  it("creates the folder and the database with access for the owner only, and fills the database once", async () => {
    expect(await seed()).toBe(true);
    expect(readNames()).toEqual(["seeded"]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await seed()).toBe(false);
    expect(readNames()).toEqual(["seeded"]);
  });

  it("seeds once when several processes start together, and each succeeds", async () => {
    const rows = Array.from({ length: 2000 }, (_, index) => `INSERT INTO users VALUES ('${index}');`);
    await writeFile(seedFile, `CREATE TABLE users (name TEXT); ${rows.join("\n")}`);
    const outcomes = await Promise.all([seedInChild(), seedInChild(), seedInChild()]);
    expect(outcomes.toSorted()).toEqual(["false", "false", "true"]);
    expect(readNames()).toHaveLength(2000);
  }, 30_000);

  it("seeds once when several processes find the database missing at the same time", async () => {
    const outcomes = await Promise.all(Array.from({ length: 5 }, seed));
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    expect(readNames()).toEqual(["seeded"]);
  });

  it("does not change a database that the site created", async () => {
    file = join(folder.path, "own.sqlite");
    const own = new DatabaseSync(file);
    own.exec("CREATE TABLE users (name TEXT); INSERT INTO users VALUES ('own')");
    own.close();
    expect(await seed()).toBe(false);
    expect(readNames()).toEqual(["own"]);
  });

  it("fills an empty file that an interrupted first start left behind", async () => {
    file = join(folder.path, "empty.sqlite");
    await writeFile(file, "");
    expect(await seed()).toBe(true);
    expect(readNames()).toEqual(["seeded"]);
  });

  it.each([
    ["is not valid SQL", "CREATE TABLE users (name TEXT); nonsense"],
    ["rolls its transaction back", "CREATE TABLE other (name TEXT); ROLLBACK; SELECT 1"],
    ["commits its transaction", "CREATE TABLE other (name TEXT); COMMIT; BEGIN; SELECT 1"],
  ])("rejects a seed that %s, and accepts a corrected one afterwards", async (_what, script) => {
    await writeFile(seedFile, script);
    await expect(seed()).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    await writeFile(seedFile, "CREATE TABLE users (name TEXT); INSERT INTO users VALUES ('seeded');");
    expect(await seed()).toBe(true);
  });

  it("rejects a seed file that does not exist", async () => {
    seedFile = join(folder.path, "missing.sql");
    await expect(seed()).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });

  it("reports a database that it cannot write as unavailable", async () => {
    file = join(seedFile, "below-a-file.sqlite");
    await expect(seed()).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
  });
});
