/** Prints what a test has measured. The times depend on the machine, so no test fails because of them; the pages state them. */
export function showFigures(title: string, figures: Readonly<Record<string, number | undefined>>): void {
  const shown = Object.entries(figures).map(
    ([name, value]) => `${name} ${value === undefined ? "?" : Math.round(value)}`,
  );
  process.stdout.write(`figures: ${title}: ${shown.join(", ")}\n`);
}
