import { existsSync } from "node:fs";
import { mkdir, open, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { constants, DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "@postern/shared/platform/errors";
import { isBusy } from "./sqlite-connection.ts";

export interface SeedOptions {
  /** Path of the SQLite database. */
  readonly file: string;
  /** Path of the SQL script. It runs inside one transaction, so it must not open or end one. */
  readonly seedFile: string;
  /** How long to wait for a lock of another process. */
  readonly waitMs: number;
}

const busyRetryMs = 20;
/** Marks a database that was seeded. */
const seededVersion = 1;

/**
 * Creates the database and runs the seed once, if the database has no table yet. Several processes may call it
 * concurrently: one seeds, the others find the result. A process that dies in between leaves an empty database, which
 * the next one seeds. Resolves to whether this call seeded. Throws `CONFIG_INVALID` for a seed that fails, and
 * `DIRECTORY_UNAVAILABLE` for a database that cannot be written.
 */
export async function seedDatabase({ file, seedFile, waitMs }: SeedOptions): Promise<boolean> {
  const until = performance.now() + waitMs;
  try {
    await createPrivateFile(file);
    const database = new DatabaseSync(file, { timeout: 0 });
    try {
      if (!(await whenFree(() => isNew(database), until))) return false;
      const script = await readSeed(seedFile);
      return await whenFree(() => seed(database, script), until);
    } finally {
      database.close();
    }
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    throw new AppError("DIRECTORY_UNAVAILABLE", { detail: `cannot seed ${file}`, cause: thrown });
  }
}

/** Runs the seed in memory if there is no database yet; later the seed is no longer read. Throws `CONFIG_INVALID`. */
export async function checkSeed({ file, seedFile }: Pick<SeedOptions, "file" | "seedFile">): Promise<void> {
  if (existsSync(file)) return;
  const database = new DatabaseSync(":memory:");
  try {
    runScript(database, await readSeed(seedFile));
  } finally {
    database.close();
  }
}

async function readSeed(seedFile: string): Promise<string> {
  try {
    return await readFile(seedFile, "utf8");
  } catch (cause) {
    throw new AppError("CONFIG_INVALID", { detail: `the seed file ${seedFile} cannot be read`, cause });
  }
}

/** SQLite gives its auxiliary files the mode of the database file. */
async function createPrivateFile(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const handle = await open(file, "a", 0o600);
  await handle.close();
}

async function whenFree<T>(work: () => T, until: number): Promise<T> {
  for (;;) {
    try {
      return work();
    } catch (thrown) {
      if (!isBusy(thrown) || performance.now() >= until) throw thrown;
    }
    await delay(busyRetryMs);
  }
}

function seed(database: DatabaseSync, script: string): boolean {
  // In WAL mode readers and a writer do not block each other; the file keeps the mode.
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("BEGIN EXCLUSIVE");
  try {
    // Another process may have seeded it since the first check.
    const isMine = isNew(database);
    if (isMine) runScript(database, script);
    database.exec("COMMIT");
    return isMine;
  } catch (thrown) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw thrown;
  }
}

function isNew(database: DatabaseSync): boolean {
  const row = database.prepare("SELECT count(*) AS tables FROM sqlite_schema").get();
  const version = database.prepare("PRAGMA user_version").get();
  return row?.["tables"] === 0 && version?.["user_version"] === 0;
}

/** A script that ends the transaction could leave half of its work behind, so this is not allowed. */
function runScript(database: DatabaseSync, script: string): void {
  const { SQLITE_TRANSACTION, SQLITE_DENY, SQLITE_OK } = constants;
  database.setAuthorizer((action) => (action === SQLITE_TRANSACTION ? SQLITE_DENY : SQLITE_OK));
  try {
    database.exec(script);
  } catch (cause) {
    throw new AppError("CONFIG_INVALID", { detail: "a statement of the seed file failed", cause });
  } finally {
    database.setAuthorizer(null);
  }
  database.exec(`PRAGMA user_version = ${seededVersion}`);
}
