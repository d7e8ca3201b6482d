import { hostname } from "node:os";
import type { Problem } from "../config/index.ts";
import { isJournal, journalPriority } from "../logging/journal-priority.ts";
import { createLogger, type Logger } from "../logging/logger.ts";

/** Writes to standard error synchronously, for messages before a service has its own log, or without one. */
export function processLog(service: string): Logger {
  const prefixOf = isJournal(2) ? journalPriority : () => "";
  return createLogger({
    service,
    instance: `${hostname()}:${process.pid}`,
    level: "info",
    stream: { write: (line) => void process.stderr.write(prefixOf(line) + line) },
  }).logger;
}

export function problemFields({ path, reason, hint }: Problem): object {
  return hint === undefined ? { key: path, reason } : { key: path, reason, hint };
}
