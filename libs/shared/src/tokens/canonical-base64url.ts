/** By how many letters follow the last whole group of four; one alone holds no byte. */
const lastLetters: readonly (RegExp | undefined)[] = [/$/, undefined, /[AQgw]$/, /[AEIMQUYcgkosw048]$/];

/**
 * Whether these letters of base64url are the ones that an encoder writes (RFC 4648 §3.5): the last may hold bits that
 * belong to no byte, which are zero then. That all are letters of the alphabet is known before.
 */
export function isCanonicalBase64url(letters: string): boolean {
  return lastLetters[letters.length % 4]?.test(letters.slice(-1)) === true;
}
