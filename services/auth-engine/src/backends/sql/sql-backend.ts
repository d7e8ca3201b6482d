import type { PasswordVerifier } from "@postern/shared/domain/passwords";
import type { Secret } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import type { Backend, BackendContext, BackendQuery, LookupOutcome, VerifyOutcome } from "../backend.ts";
import { type CheckedPassword, type CheckPasswordDeps, createPasswordCheck, type FoundRow } from "./check-password.ts";
import { findUserRow, isDisabled, rowToAccount } from "./find-user.ts";
import { checkListQuery, listAccounts } from "./list-accounts.ts";
import { createPasswordUpgrades } from "./password-upgrades.ts";
import { checkSearches, toQueryParameters } from "./query-parameters.ts";
import type { SqlClient } from "./sql-client.ts";
import { createSqlFactors } from "./sql-factors.ts";
import { type SqlBackendSettings, type SqlSearchSettings, selectSearch } from "./sql-settings.ts";

export interface SqlBackendDeps extends CheckPasswordDeps {
  readonly settings: SqlBackendSettings;
  /** Closed with the backend. */
  readonly client: SqlClient;
  readonly passwords: CheckPasswordDeps["passwords"] & Pick<PasswordVerifier, "upgrade">;
  /** Called if a better hash could not be computed or stored; the sign-in continued. */
  readonly onUpgradeFailure?: ((error: unknown) => void) | undefined;
}

type Missing = "unknown_user" | "not_served";

function createFind(searches: readonly SqlSearchSettings[], client: SqlClient) {
  return async (query: BackendQuery, context: BackendContext): Promise<FoundRow | Missing> => {
    const search = selectSearch(searches, query.protocol);
    if (search === undefined) return "not_served";
    const row = await findUserRow(client, search, query, context);
    return row === undefined ? "unknown_user" : { row, search };
  };
}

function lookedUp(found: FoundRow | Missing): LookupOutcome {
  if (typeof found === "string") return { kind: found };
  if (isDisabled(found.row, found.search)) return { kind: "unknown_user", isDisabled: true };
  return { kind: "ok", account: rowToAccount(found.row, found.search) };
}

/**
 * A backend with accounts in an SQL database, found by the site's own queries. Throws `CONFIG_INVALID` for settings
 * that could never work.
 */
export function createSqlBackend(deps: SqlBackendDeps): Backend {
  const { settings, client, passwords, decoys, onUpgradeFailure = () => undefined } = deps;
  checkSearches(settings, client.dialect);
  const find = createFind(settings.searches, client);
  const check = createPasswordCheck(deps);
  const upgrades = createPasswordUpgrades(client, passwords, onUpgradeFailure);

  const verified = ({ row, search }: FoundRow, checked: CheckedPassword, password: Secret): VerifyOutcome => {
    if (!checked.isRight) return checked.denial;
    // Only a caller that knows the password learns that the account is disabled.
    if (isDisabled(row, search)) return { kind: "account_disabled" };
    const account = rowToAccount(row, search);
    const { stored, text } = checked;
    upgrades.consider({ statement: search.upgradePasswordQuery, account: account.account, stored, text }, password);
    return { kind: "ok", account };
  };

  return {
    kind: "sql",
    name: settings.name,
    mfa: createSqlFactors(settings.searches, client),
    verify: async (query, password, context) => {
      const found = await find(query, context);
      if (typeof found === "string") return { kind: found };
      return verified(found, await check(found, query.username, password, context), password);
    },
    lookup: async (query, context) => lookedUp(await find(query, context)),
    listAccounts: (query, page, context) => {
      const search = selectSearch(settings.searches, query.protocol);
      return search === undefined
        ? Promise.resolve({ kind: "not_served" })
        : listAccounts(client, search, { ...page, protocol: query.protocol }, context);
    },
    // Each page is a separate query.
    endListing: () => undefined,
    spendVerification: ({ username }, password, context) => passwords.spend(decoys.choose(username), password, context),
    check: (context) => checkQueries(settings.searches, client, context),
    close: async () => {
      await upgrades.settled();
      await client.close();
    },
  };
}

/** Runs each user query for an unknown name and compares its columns with the settings. */
async function checkQueries(
  searches: readonly SqlSearchSettings[],
  client: SqlClient,
  context: BackendContext,
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
      throw new AppError("DIRECTORY_DATA", { detail: `the query returns no column ${missing.join(", ")}` });
    }
    await checkListQuery(search, client, context);
  }
}
