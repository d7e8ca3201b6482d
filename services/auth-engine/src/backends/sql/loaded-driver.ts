import type { SqlDriver } from "./server-connection.ts";

/** A driver that starts to load its client library from disk now; the first connection waits for it. */
export function loadedDriver(dialect: SqlDriver["dialect"], loading: Promise<SqlDriver>): SqlDriver {
  let driver: SqlDriver | undefined;
  return {
    dialect,
    connect: async (address, settings, onClose) => {
      driver ??= await loading;
      return driver.connect(address, settings, onClose);
    },
    // Before the first connection, nothing can have failed.
    classify: (error) => driver?.classify(error) ?? "lost",
  };
}
