const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `1h30m`, `250ms`, `7d` in milliseconds; undefined if the text is not a duration. ADR 0023 compares packages. */
export function parseDuration(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/gy)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== text) return undefined;
  return parts.reduce((sum, [, amount, unit = ""]) => sum + Number(amount) * (unitMs[unit] ?? Number.NaN), 0);
}

/** The shortest spelling that `parseDuration` reads back as the same number of milliseconds. */
export function formatDuration(ms: number): string {
  for (const unit of ["d", "h", "m", "s"]) {
    const size = unitMs[unit] ?? 1;
    if (ms !== 0 && ms % size === 0) return `${ms / size}${unit}`;
  }
  return `${ms}ms`;
}
