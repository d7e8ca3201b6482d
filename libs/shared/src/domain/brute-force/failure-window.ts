/** The fields of a failure count, as the counting script writes them. */
type Fields = Readonly<Record<string, string>>;

const numberIn = (fields: Fields, name: string): number => {
  const value = Number(fields[name] ?? 0);
  return Number.isFinite(value) && value > 0 ? value : 0;
};

/**
 * Failures within the last period, as the counting script sees them: those of its window, and of the one before in proportion to its part
 * that is less than a period ago. Rounded down, so that it reaches the limit only when the network does.
 */
export function failureWindow(fields: Fields, periodMs: number, nowMs: number): number {
  const window = Math.floor(nowMs / periodMs);
  const written = numberIn(fields, "w");
  const share = 1 - (nowMs % periodMs) / periodMs;
  const now = numberIn(fields, "k") + numberIn(fields, "u");
  if (written === window) return Math.floor(now + (numberIn(fields, "pk") + numberIn(fields, "pu")) * share);
  // The clock of Redis, which decides, may be ahead of this one.
  if (written > window) return Math.floor(now + numberIn(fields, "pk") + numberIn(fields, "pu"));
  return written === window - 1 ? Math.floor(now * share) : 0;
}

/** The same for what other regions have counted, each by its own clock, as it is stored here. */
export function failuresElsewhere(stored: string | null, periodMs: number, nowMs: number): number {
  const entries = (stored ?? "").split(";").map((entry) => entry.split(" "));
  const counts = entries.map(([, , , ahead = "", w = "", k = "", u = "", pk = "", pu = ""]) =>
    w === "" ? 0 : failureWindow({ w, k, u, pk, pu }, periodMs, nowMs + Number(ahead)),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
