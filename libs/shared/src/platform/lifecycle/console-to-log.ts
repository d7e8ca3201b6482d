import { format } from "node:util";
import type { Logger } from "../logging/logger.ts";

const levels = { error: "error", warn: "warn", info: "info", log: "info", debug: "debug", trace: "debug" } as const;

type Method = keyof typeof levels;

/**
 * Redirects output of libraries and Node's own warnings to the log, so that every line that a service writes can be parsed. What a library
 * prints at import precedes this, unless it is imported later.
 */
export function consoleToLog(log: Pick<Logger, "error" | "warn" | "info" | "debug">): void {
  const put = (method: Method): void => {
    console[method] = (...parts: readonly unknown[]): void => log[levels[method]]({ printed: true }, format(...parts));
  };
  for (const method of ["error", "warn", "info", "log", "debug", "trace"] as const) put(method);
  process.removeAllListeners("warning");
  process.on("warning", (warning) => log.warn({ err: warning }, "warning from Node.js"));
}
