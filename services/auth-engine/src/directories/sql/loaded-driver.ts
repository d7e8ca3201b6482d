import type { SqlDriver } from "./server-connection.ts";

/** A driver whose client library is read from disk now, and awaited by whoever connects first. */
export function loadedDriver(dialect: SqlDriver["dialect"], loading: Promise<SqlDriver>): SqlDriver {
  let driver: SqlDriver | undefined;
  return {
    dialect,
    connect: async (address, settings, onClose) => {
      driver ??= await loading;
      return driver.connect(address, settings, onClose);
    },
    // Nothing has failed before something was connected.
    classify: (error) => driver?.classify(error) ?? "lost",
  };
}
