import type { DatabaseSync, StatementSync } from "node:sqlite";

/** What queries share that are made one after the other without waiting: SQLite takes and gives back its locks once. */
export interface ReadTransaction {
  /**
   * Before a query; returns the version of the schema, by which statements are prepared from now on. The transaction ends before anything else is
   * received, so that who asks after a change sees the change.
   */
  join(): number;
  /** At once: what is written next is seen by the next query. */
  end(): void;
}

/** A bus message brings many attempts, and each query alone costs eight calls of the system for locks and checks. */
export function createReadTransaction(database: DatabaseSync): ReadTransaction {
  const begin = database.prepare("BEGIN");
  const commit = database.prepare("COMMIT");
  const readSchema = database.prepare("PRAGMA schema_version");
  readSchema.setReturnArrays(true);
  let isOpen = false;
  let schema: number | undefined;
  let learnt: number | undefined;
  /** Prepared when it is needed: that reads the file. */
  let learnSchema: StatementSync | undefined;

  const end = (): void => {
    if (!isOpen) return;
    isOpen = false;
    schema = undefined;
    try {
      // Some errors end it by themselves.
      if (database.isOpen && database.isTransaction) commit.run();
    } catch {
      // A lock that cannot be given back is given back by closing; the next query opens the database again.
      database.close();
    }
  };
  return {
    join() {
      if (!isOpen) {
        begin.run();
        isOpen = true;
        // Runs when no promise has anything left to do, and before the next input is read.
        process.nextTick(end);
      }
      schema ??= Number(readSchema.get()?.[0]);
      if (schema !== learnt) {
        // A statement that reads a table makes SQLite look whether the schema that it knows is still the file's.
        learnSchema ??= database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1");
        learnSchema.get();
        learnt = schema;
      }
      return schema;
    },
    end,
  };
}
