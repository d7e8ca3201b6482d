/** DEL, the C1 controls (0x9b begins a terminal's commands as `ESC [` does), format characters, and separators of lines. */
const hidden = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;
const ascii = /^[\n -~]*$/;

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    const unit = character.charCodeAt(at);
    return `\\u${unit.toString(16).padStart(4, "0")}`;
  }).join("");
}

/** A line of JSON with the same value, in which nothing can command or deceive a terminal. JSON escapes the C0 controls only. */
export function plainLine(line: string): string {
  return ascii.test(line) ? line : line.replaceAll(hidden, escaped);
}

/** A destination whose lines are plain. */
export function plainLines<Written>(to: { write(line: string): Written }): { write(line: string): Written } {
  return { write: (line) => to.write(plainLine(line)) };
}
