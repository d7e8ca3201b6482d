import { type Awaitable, after } from "@postern/shared/async";
import type { Secret } from "@postern/shared/crypto";
import { AppError } from "@postern/shared/errors";
import type { PasswordVerifier } from "@postern/shared/passwords";
import type { MfaArtefacts } from "../../mfa-artefacts/mfa-artefacts.ts";
import type { Directory, DirectoryContext, DirectoryQuery, LookupOutcome, VerifyOutcome } from "../directory.ts";
import { findUserRow } from "./find-user.ts";
import { checkListQuery, listAccounts } from "./list-accounts.ts";
import { createPasswordUpgrades } from "./password-upgrades.ts";
import { checkSearches, toQueryParameters } from "./query-parameters.ts";
import { isDisabled, readColumn, rowToAccount } from "./row-to-account.ts";
import { selectSearch } from "./select-search.ts";
import type { SqlDirectorySettings, SqlSearchSettings } from "./settings.ts";
import type { SqlClient, SqlRow } from "./sql-client.ts";

export interface SqlDirectoryDeps {
  readonly settings: SqlDirectorySettings;
  /** Closed with the directory. */
  readonly client: SqlClient;
  readonly passwords: Pick<PasswordVerifier, "verify" | "spend" | "upgrade">;
  /** Second factors of the same users, in the same database. */
  readonly mfa?: MfaArtefacts | undefined;
  /** A better hash could not be made or stored; the login went on. */
  readonly onUpgradeFailure?: ((error: unknown) => void) | undefined;
}

interface Found {
  readonly row: SqlRow;
  readonly search: SqlSearchSettings;
}

type Missing = "unknown_user" | "not_served";

function createFind(searches: readonly SqlSearchSettings[], client: SqlClient) {
  return (query: DirectoryQuery, context: DirectoryContext): Awaitable<Found | Missing> => {
    const search = selectSearch(searches, query.protocol);
    if (search === undefined) return "not_served";
    return after(findUserRow(client, search, query, context), (row) =>
      row === undefined ? "unknown_user" : { row, search },
    );
  };
}

function lookedUp(found: Found | Missing): LookupOutcome {
  if (typeof found === "string") return { kind: found };
  if (isDisabled(found.row, found.search)) return { kind: "unknown_user" };
  return { kind: "ok", account: rowToAccount(found.row, found.search) };
}

/**
 * Directory of accounts in a SQL database, found by the site's own queries. Throws `CONFIG_INVALID` for settings
 * that could never work.
 */
export function createSqlDirectory({
  settings,
  client,
  passwords,
  mfa,
  onUpgradeFailure = () => undefined,
}: SqlDirectoryDeps): Directory {
  checkSearches(settings, client.dialect);
  const find = createFind(settings.searches, client);
  /** The stored password that was read last: the example of what a verification costs at this site. */
  let example: string | undefined;
  const upgrades = createPasswordUpgrades({ client, passwords, onFailure: onUpgradeFailure });

  const matches = ({ row, search }: Found, password: Secret, context: DirectoryContext): Awaitable<boolean> => {
    const stored = readColumn(row, search.passwordColumn) ?? "";
    if (stored === "") return after(passwords.spend(example, password, context), () => false);
    return after(passwords.verify(stored, password, context), (isMatch) => {
      example = stored;
      return isMatch;
    });
  };
  const verified = (found: Found, isMatch: boolean, password: Secret): VerifyOutcome => {
    if (!isMatch) return { kind: "wrong_password", account: readColumn(found.row, found.search.accountField) };
    // Only whoever knows the password learns that the account is off.
    if (isDisabled(found.row, found.search)) return { kind: "account_disabled" };
    const account = rowToAccount(found.row, found.search);
    const stored = readColumn(found.row, found.search.passwordColumn) ?? "";
    upgrades.consider({ statement: found.search.upgradePasswordQuery, account: account.account, stored }, password);
    return { kind: "ok", account };
  };

  return {
    kind: "sql",
    name: settings.name,
    mfa,
    verify: (query, password, context) =>
      after(
        find(query, context),
        (found): Awaitable<VerifyOutcome> =>
          typeof found === "string"
            ? { kind: found }
            : after(matches(found, password, context), (isMatch) => verified(found, isMatch, password)),
      ),
    lookup: (query, context) => after(find(query, context), lookedUp),
    listAccounts: (query, page, context) => {
      const search = selectSearch(settings.searches, query.protocol);
      return search === undefined
        ? Promise.resolve({ kind: "not_served" })
        : listAccounts({ client, search, query, page }, context);
    },
    // Each page is a query of its own.
    endListing: () => undefined,
    spendVerification: (_query, password, context) => passwords.spend(example, password, context),
    check: (context) => checkQueries(settings.searches, client, context),
    close: async () => {
      await upgrades.settled();
      await client.close();
    },
  };
}

/** Runs each user query for a name that nobody has, and compares its columns with the settings. */
async function checkQueries(
  searches: readonly SqlSearchSettings[],
  client: SqlClient,
  context: DirectoryContext,
): Promise<void> {
  for (const search of searches) {
    const { userQuery, accountField, passwordColumn, disabledColumn, attributes } = search;
    const parameters = toQueryParameters({ username: "", protocol: search.protocols[0] ?? "*" });
    await client.query({ statement: userQuery, parameters, maxRows: 1 }, context);
    const columns = await client.describe(userQuery, context);
    const needed = [
      accountField,
      passwordColumn,
      ...attributes,
      ...(disabledColumn === undefined ? [] : [disabledColumn]),
    ];
    const missing = needed.filter((column) => !columns.includes(column));
    if (missing.length > 0) {
      throw new AppError("DIRECTORY_DATA", { detail: `the query gives no column ${missing.join(", ")}` });
    }
    await checkListQuery(search, client, context);
  }
}
