import { join } from "node:path";
import { demoSeedFile } from "../../support/demo-users.ts";

/** The demo's users, with account lists and second factors. */
export function listedBackends(folder: string): object {
  const queries = {
    user: "SELECT username AS account, password, mail, NOT enabled AS disabled FROM users WHERE username = :username",
    list_accounts: "SELECT username AS account FROM users WHERE enabled = 1 ORDER BY username",
  };
  const mapping = { account_field: "account", password_column: "password", disabled_column: "disabled" };
  const totp = {
    totp_read: "SELECT totp_secret FROM users WHERE username = :account",
    totp_write: "UPDATE users SET totp_secret = :secret WHERE username = :account",
    totp_delete: "UPDATE users SET totp_secret = NULL WHERE username = :account",
  };
  return {
    order: ["sql"],
    sql: {
      default: { file: join(folder, "directory.sqlite"), seed_file: demoSeedFile },
      search: [
        {
          protocol: ["*"],
          cache_name: "demo",
          queries,
          mapping,
          mfa: { enabled: true, queries: totp },
          attribute: ["mail"],
        },
      ],
    },
  };
}
