import { mkdir, open, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { constants, DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "@postern/shared/errors";
import { isBusy } from "./sqlite-errors.ts";

export interface SeedOptions {
  /** Path of the SQLite database. */
  readonly file: string;
  /** Path of the SQL script; it runs inside one transaction, so it may not open or end one. */
  readonly seedFile: string;
  /** How long to wait for another process that has the database. */
  readonly waitMs: number;
}

const busyRetryMs = 20;
/** Marks a database that was seeded. */
const seededVersion = 1;

/**
 * Creates the database and runs the seed once, when the database has no table yet. Several processes may call it at
 * once: one seeds, the others find it done. A process that dies in between leaves an empty database, which the next
 * one seeds. Resolves to whether this call seeded; throws `CONFIG_INVALID` for a seed that does not run and
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

async function readSeed(seedFile: string): Promise<string> {
  try {
    return await readFile(seedFile, "utf8");
  } catch (cause) {
    throw new AppError("CONFIG_INVALID", { detail: `cannot read the seed ${seedFile}`, cause });
  }
}

/** SQLite gives the files beside the database the mode of the database. */
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
  // Readers and a writer do not wait for each other; the mode stays with the file.
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("BEGIN EXCLUSIVE");
  try {
    // Another process may have been faster since the first look.
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

/** A script that ends the transaction could leave half of itself behind, so that is not allowed to it. */
function runScript(database: DatabaseSync, script: string): void {
  const { SQLITE_TRANSACTION, SQLITE_DENY, SQLITE_OK } = constants;
  database.setAuthorizer((action) => (action === SQLITE_TRANSACTION ? SQLITE_DENY : SQLITE_OK));
  try {
    database.exec(script);
  } catch (cause) {
    throw new AppError("CONFIG_INVALID", { detail: "the seed does not run", cause });
  } finally {
    database.setAuthorizer(null);
  }
  database.exec(`PRAGMA user_version = ${seededVersion}`);
}
