/** The password of every user in the backends of a run. */
export const userPassword = "bench-password-1";

export const ldapUserCount = 2000;
export const sqlUserCount = 1000;

export function ldapUid(index: number): string {
  return `user${index}`;
}

export function mailOf(index: number): string {
  return `user${index}@example.test`;
}
