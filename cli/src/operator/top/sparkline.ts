const levels = "▁▂▃▄▅▆▇█";

/** The latest values as bars, the highest as high as a line, nothing as a blank; values that are not known are blanks too. */
export function sparkline(values: readonly (number | undefined)[], columns: number): string {
  const latest = values.slice(Math.max(0, values.length - columns));
  const highest = Math.max(0, ...latest.map((value) => value ?? 0));
  const bars = latest.map((value = 0) => {
    if (value <= 0 || highest <= 0) return " ";
    return levels[Math.min(levels.length - 1, Math.floor((value / highest) * levels.length))] ?? " ";
  });
  return bars.join("").padStart(columns);
}
