/** Indexed by the number of characters after the last full group of four; a single one cannot encode a byte. */
const lastLetters: readonly (RegExp | undefined)[] = [/$/, undefined, /[AQgw]$/, /[AEIMQUYcgkosw048]$/];

/**
 * Whether base64url text is canonical (RFC 4648 §3.5): the unused bits of the last character must be zero. The caller has already checked
 * the alphabet.
 */
export function isCanonicalBase64url(letters: string): boolean {
  return lastLetters[letters.length % 4]?.test(letters.slice(-1)) === true;
}
