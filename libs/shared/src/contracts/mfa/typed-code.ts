/**
 * Spaces, dashes and invisible characters. The minus sign and the Japanese prolonged sound mark look like dashes, and some keyboards type
 * them where a dash is meant.
 */
const separators = /[\s\p{Pd}\p{Cf}\u2212\u30FC]/gu;

/** Digits of Arabic and Persian keyboards. Full-width digits are covered by NFKC. */
const easternDigits = /[\u0660-\u0669\u06F0-\u06F9]/g;

/**
 * The code that a user means: keyboards and text editors exchange digits, letters and dashes for others that look alike, without the user's
 * doing. Every code that users type is read by this function.
 */
export function typedCode(text: string): string {
  return text
    .normalize("NFKC")
    .replace(easternDigits, (digit) => String(digit.charCodeAt(0) % 16))
    .toUpperCase()
    .replace(separators, "");
}
