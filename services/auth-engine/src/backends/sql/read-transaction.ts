import type { DatabaseSync, StatementSync } from "node:sqlite";

/** A bus message brings many attempts, and each separate query costs eight system calls for locks and checks. */
export function createReadTransaction(database: DatabaseSync) {
  const begin = database.prepare("BEGIN");
  const commit = database.prepare("COMMIT");
  const readSchema = database.prepare("PRAGMA schema_version");
  readSchema.setReturnArrays(true);
  let isOpen = false;
  let schema: number | undefined;
  let learnt: number | undefined;
  /** Prepared on first use, because preparing reads the file. */
  let learnSchema: StatementSync | undefined;

  const end = (): void => {
    if (!isOpen) return;
    isOpen = false;
    schema = undefined;
    try {
      // Some errors end the transaction.
      if (database.isOpen && database.isTransaction) commit.run();
    } catch {
      // If a lock cannot be released, closing the database releases it; the next query opens it again.
      database.close();
    }
  };
  return {
    /**
     * Called before a query; returns the schema version for which statements are prepared from now on. The transaction
     * ends before anything else is received, so a query that arrives after a change sees the change.
     */
    join(): number {
      if (!isOpen) {
        begin.run();
        isOpen = true;
        // Runs when all promises have settled and before the next input is read.
        process.nextTick(end);
      }
      schema ??= Number(readSchema.get()?.[0]);
      if (schema !== learnt) {
        // Reading a table makes SQLite check whether its cached schema still matches the file's.
        learnSchema ??= database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1");
        learnSchema.get();
        learnt = schema;
      }
      return schema;
    },
    /** Ends the transaction immediately, so that the next query sees what is written next. */
    end,
  };
}
