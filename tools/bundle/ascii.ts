/**
 * Returns the same program in ASCII: with a single character outside Latin-1, Node stores a whole file with two bytes per character.
 * Escapes are equivalent in strings, templates, regular expressions and names.
 * @throws Error for a character after a backslash, where an escape would have another meaning.
 */
export function asciiOnly(code: string): string {
  const escaped = /(?<!\\)(?:\\\\)*\\([^\0-\x7f])/u.exec(code);
  if (escaped !== null) throw new Error(`the character ${escaped[1]} follows a backslash and cannot be escaped`);
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
