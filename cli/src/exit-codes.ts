/** The exit codes of every command, for help, the manual page and the documentation. */
export const exitCodes: readonly (readonly [code: number, meaning: string])[] = [
  [0, "success, and nothing is wrong"],
  [1, "something is blocked, delayed, failed or invalid, or the request was rejected"],
  [2, "wrong command line"],
  [3, "the site cannot be reached"],
];

export const exitCodeHelp: readonly string[] = [
  "Exit codes:",
  ...exitCodes.map(([code, meaning]) => `  ${code}  ${meaning}`),
];
