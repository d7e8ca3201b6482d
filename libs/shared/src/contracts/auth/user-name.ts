/** In UTF-16 code units: two addresses of maximum length (RFC 5321, 254), as in the login of a master user. */
export const maxUserNameLength = 512;

/** C0, DEL and C1. */
// oxlint-disable-next-line no-control-regex -- control characters are what it finds
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

/**
 * Why a user name is invalid, as a sentence for the caller; undefined for a valid name. Every way to sign in uses this
 * check: the dialects of the back channel in all modes, gRPC, the sign-in pages and the JWT endpoint.
 */
export function userNameFault(name: string): string | undefined {
  if (name.length > maxUserNameLength) return `username is longer than ${maxUserNameLength} characters`;
  if (controlCharacter.test(name)) return "username has control characters";
  return name.isWellFormed() ? undefined : "username is not valid Unicode";
}
