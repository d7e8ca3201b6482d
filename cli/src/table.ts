/** Control and format characters: those of a terminal, and those that reorder or hide text. */
const control = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Text from outside, without characters that a terminal would interpret. */
export function printable(text: string): string {
  return text.replaceAll(control, "?");
}

/** A table whose columns are as wide as their longest cell. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const cells = [head, ...rows].map((row) => row.map(printable));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
