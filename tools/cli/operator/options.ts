import { exitCodeHelp } from "../exit-codes.ts";

/** Options of every command that connects to a running site. */
const connectionOptions = {
  url: { type: "string" },
  user: { type: "string" },
  "password-file": { type: "string" },
  "token-file": { type: "string" },
  timeout: { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** Options of some of them; each command lists its own. */
const ownOptions = {
  async: { type: "boolean", default: false },
  rule: { type: "string" },
  protocol: { type: "string" },
  client: { type: "string" },
  kill: { type: "string" },
  limit: { type: "string" },
  factor: { type: "string" },
} as const;

export const operatorOptions = { ...connectionOptions, ...ownOptions } as const;
export type OwnOption = keyof typeof ownOptions;

export const connectionOptionNames: readonly string[] = Object.keys(connectionOptions);

export const connectionHelp: readonly string[] = [
  "Options of commands that connect to a running site:",
  "  --url URL             URL of the back channel (POSTERN_URL), http://127.0.0.1:9080 by default",
  "  --user NAME           user name for HTTP Basic (POSTERN_USER)",
  "  --password-file FILE  file with the password (POSTERN_PASSWORD holds the password itself)",
  "  --token-file FILE     file with a Bearer token, in place of a user name (POSTERN_TOKEN holds the token itself)",
  "  --timeout SECONDS     timeout of each request, 30 by default",
  "  --json                print JSON",
  ...exitCodeHelp,
];
