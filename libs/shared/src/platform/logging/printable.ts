/** Control, format (bidirectional marks, zero-width characters), separator, private and unpaired characters. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/**
 * Makes untrusted text safe for a log line: at most `maxCharacters`, with an ellipsis if it was cut, and with escapes in place of
 * characters that a terminal or log viewer would interpret or hide.
 */
export function printable(text: string, maxCharacters: number): string {
  // Twice as many UTF-16 code units contain at least that many characters.
  const characters = Array.from(text.slice(0, 2 * maxCharacters))
    .slice(0, maxCharacters)
    .join("");
  const shown = characters.replaceAll(unprintable, escaped);
  return characters.length < text.length ? `${shown}…` : shown;
}
