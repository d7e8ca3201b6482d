import { UsageError } from "./connection.ts";

/** The most that the interface lists on one page. */
const mostRecords = 500;

/** The value of `--limit` for records. @throws UsageError */
export function recordLimit(text = "50"): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > mostRecords)
    throw new UsageError(`invalid --limit: use 1 to ${mostRecords}`);
  return limit;
}
