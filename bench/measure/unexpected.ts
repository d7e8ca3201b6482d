/** How often each other outcome was logged than the expected one, with its reason. */
export type Unexpected = ReadonlyMap<string, number>;

/** Reads a gateway's log. `outcome` is the expected one; warnings and errors are counted by their message. */
export function unexpectedIn(log: string, outcome: string): Unexpected {
  const counts = new Map<string, number>();
  const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
  for (const line of log.split("\n")) {
    const decided = /"outcome":"(\w+)"(?:,"reason":"([^"]*)")?.*"msg":"decided"/u.exec(line);
    if (decided !== null && decided[1] !== outcome) count(`${decided[1]}: ${decided[2] ?? "no reason"}`);
    const [, level, message] = /^\{"level":"(warn|error|fatal)".*"msg":"([^"]*)"/u.exec(line) ?? [];
    if (level !== undefined) count(`${level}: ${message}`);
  }
  return counts;
}

/** Adds counts to a sum. */
export function addCounts(sum: Map<string, number>, counts: Unexpected): void {
  for (const [what, number] of counts) sum.set(what, (sum.get(what) ?? 0) + number);
}
