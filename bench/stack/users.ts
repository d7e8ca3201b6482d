/** Everybody's password in the directories of a run. */
export const userPassword = "bench-password-1";

export const ldapUserCount = 2000;
export const sqlUserCount = 1000;

export function ldapUid(nth: number): string {
  return `user${nth}`;
}

export function mailOf(nth: number): string {
  return `user${nth}@example.test`;
}
