import { fstatSync } from "node:fs";
import { processSources } from "../config/sources/environment.ts";

/** Priorities of syslog, as journald reads them at the beginning of a line: `<4>` for a warning. */
const priorities: Readonly<Record<string, string>> = {
  fatal: "<2>",
  error: "<3>",
  warn: "<4>",
  info: "<6>",
  debug: "<7>",
  trace: "<7>",
};
const level = /^\{"level":"(?<name>[a-z]+)"/u;

/** What journald shall read before a line of the log; empty for lines without a level, such as those of the audit stream. */
export function journalPriority(line: string): string {
  return priorities[level.exec(line)?.groups?.["name"] ?? ""] ?? "";
}

/** Whether systemd connected this file descriptor with its journal (`JOURNAL_STREAM` in systemd.exec(5)). */
export function isJournal(descriptor: 1 | 2): boolean {
  const { JOURNAL_STREAM: stream } = processSources().env;
  if (stream === undefined) return false;
  const { dev, ino } = fstatSync(descriptor);
  return stream === `${dev}:${ino}`;
}
