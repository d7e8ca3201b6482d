// oxlint-disable-next-line no-control-regex -- control characters are what this removes
const control = /[\u0000-\u001f\u007f-\u009f]/gu;

/** Text from outside, without control characters that a terminal would interpret. */
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
