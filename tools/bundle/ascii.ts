/**
 * The same program in ASCII. One character outside Latin-1 makes Node keep a whole file with two bytes a character.
 * Escapes mean the same in strings, templates, regular expressions and names.
 * @throws Error for a character behind a backslash, where an escape would mean something else.
 */
export function asciiOnly(code: string): string {
  const escaped = /\\[^\0-\x7f]/u.exec(code);
  if (escaped !== null) throw new Error(`a backslash stands before ${escaped[0].slice(1)}`);
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
