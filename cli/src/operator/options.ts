import { exitCodeHelp } from "../exit-codes.ts";

/** Options of every command that connects to a running site. */
const connectionOptions = {
  config: { type: "string" },
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
  for: { type: "string" },
  reason: { type: "string" },
  kind: { type: "string" },
  account: { type: "string" },
  network: { type: "string" },
  outcome: { type: "string" },
  once: { type: "boolean", default: false },
  domain: { type: "string" },
  event: { type: "string" },
  file: { type: "string" },
} as const;

export const operatorOptions = { ...connectionOptions, ...ownOptions } as const;
export type OwnOption = keyof typeof ownOptions;

export const connectionOptionNames: readonly string[] = Object.keys(connectionOptions);

export const connectionHelp: readonly string[] = [
  "Options of commands that connect to a running site:",
  "  Without options, they use the site of this machine: the listener and the API caller `operator` in its configuration,",
  "  /etc/postern/config.yaml, or the running demo.",
  "  --config FILE         configuration of the site (SERVICE_CONFIG_FILE)",
  "  --url URL             URL of the back channel (POSTERN_URL)",
  "  --user NAME           user name for HTTP Basic (POSTERN_USER)",
  "  --password-file FILE  file with the password (POSTERN_PASSWORD holds the password itself)",
  "  --token-file FILE     file with a Bearer token, in place of a user name (POSTERN_TOKEN holds the token itself)",
  "  --timeout SECONDS     timeout of each request, 30 by default",
  "  --json                print JSON",
  ...exitCodeHelp,
];
