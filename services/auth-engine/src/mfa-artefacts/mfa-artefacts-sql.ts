import { AppError } from "@postern/shared/errors";
import { findUserRow } from "../directories/sql/find-user.ts";
import { isDisabled, readColumn, rowToAccount } from "../directories/sql/row-to-account.ts";
import { selectSearch } from "../directories/sql/select-search.ts";
import type { SqlDirectorySettings, SqlSearchSettings } from "../directories/sql/settings.ts";
import type { SqlClient, SqlRow } from "../directories/sql/sql-client.ts";
import type { CallContext } from "../rpc/call-context.ts";
import { createMfaAccountSql } from "./mfa-account-sql.ts";
import type { FindOutcome, MfaArtefacts, MfaQuery } from "./mfa-artefacts.ts";

export interface MfaArtefactsSqlDeps {
  readonly settings: SqlDirectorySettings;
  readonly client: SqlClient;
}

/** What a search for second factors is called where the site has one of its own. */
const mfaProtocol = "mfa";

interface FoundUser {
  readonly row: SqlRow;
  readonly search: SqlSearchSettings;
}

/** Second factors and app passwords in a SQL database: in tables of ours, or by the site's own statements. */
export function createMfaArtefactsSql({ settings: { searches }, client }: MfaArtefactsSqlDeps): MfaArtefacts {
  const searchesFor = ({ protocol }: MfaQuery): readonly SqlSearchSettings[] => {
    const search = selectSearch(searches, protocol ?? mfaProtocol);
    if (search !== undefined) return [search];
    return protocol === undefined ? searches : [];
  };

  const findUser = async (query: MfaQuery, context: CallContext): Promise<FoundUser | undefined> => {
    for (const search of searchesFor(query)) {
      const protocol = query.protocol ?? search.protocols[0] ?? mfaProtocol;
      const row = await findUserRow(client, search, { username: query.username, protocol }, context);
      if (row !== undefined) return { row, search };
    }
    return undefined;
  };

  return {
    async find(query, context): Promise<FindOutcome> {
      if (searchesFor(query).length === 0) return { kind: "not_served" };
      const found = await findUser(query, context);
      if (found === undefined) return { kind: "unknown_user" };
      const { row, search } = found;
      const { account } = rowToAccount(row, search);
      const { displayNameField, uniqueUserIdField } = search;
      return {
        kind: "ok",
        isDisabled: isDisabled(row, search),
        account: createMfaAccountSql({
          client,
          account,
          mfa: search.mfa,
          displayName: displayNameField === undefined ? account : readColumn(row, displayNameField),
          uniqueUserId: uniqueUserIdField === undefined ? undefined : requiredColumn(row, uniqueUserIdField),
        }),
      };
    },
  };
}

/** What identifies a user for ever must not be missing now and there tomorrow. */
function requiredColumn(row: SqlRow, column: string): string {
  const value = readColumn(row, column);
  if (value !== undefined && value !== "") return value;
  throw new AppError("DIRECTORY_DATA", { detail: `column ${column} of the account is empty` });
}
