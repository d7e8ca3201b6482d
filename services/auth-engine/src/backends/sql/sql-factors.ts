import type { CallContext } from "../../pipeline/attempt.ts";
import type {
  CredentialHolder,
  CredentialSearch,
  FindOutcome,
  MfaQuery,
  SecondFactorStore,
} from "../second-factor-store.ts";
import { idSpellings, webauthnCredentialId } from "../webauthn-credential.ts";
import type { FoundRow } from "./check-password.ts";
import { createFactorRows } from "./factor-rows.ts";
import { mfaTableStatements } from "./factor-statements.ts";
import { findUserRow, isDisabled, readColumn, rowToAccount } from "./find-user.ts";
import type { SqlClient } from "./sql-client.ts";
import { type SqlSearchSettings, selectSearch } from "./sql-settings.ts";

const maxRows = 64;

/** The site's statement, or Postern's if the credentials are in its table. */
function statementOf({ mfa }: SqlSearchSettings): readonly string[] {
  if (mfa === undefined) return [];
  const { webauthn_find: own, webauthn_add: adds } = mfa.statements;
  if (own !== undefined) return [own];
  return adds === undefined ? [mfaTableStatements(mfa.tablePrefix).webauthn_find] : [];
}

/** Patterns for LIKE, whose `_` matches any character: the two alphabets of base64 differ in two. */
function patternsOf({ id, by }: CredentialSearch): readonly string[] {
  // An index serves the pattern up to its first wildcard.
  if (by === "start") return idSpellings(id).map((text) => `{"id":"${text}%`);
  return [`%"${id.replaceAll(/[-_]/g, "_")}%`];
}

/** Accounts whose rows hold the credential, in either spelling of base64. */
async function webauthnHoldersSql(
  client: SqlClient,
  searches: readonly SqlSearchSettings[],
  wanted: CredentialSearch,
  context: CallContext,
): Promise<readonly CredentialHolder[]> {
  const patterns = patternsOf(wanted);
  const holders = new Set<string>();
  for (const statement of new Set(searches.flatMap(statementOf))) {
    const found = await Promise.all(
      patterns.map((pattern) => client.query({ statement, parameters: { pattern }, maxRows }, context)),
    );
    for (const row of found.flat()) {
      const isSame = webauthnCredentialId(readColumn(row, "credential") ?? "") === wanted.id;
      const account = readColumn(row, "account");
      if (isSame && account !== undefined) holders.add(account);
    }
  }
  return Array.from(holders, (account) => ({ account }));
}

/** Protocol of a search for second factors, if the site has a separate one. */
const mfaProtocol = "mfa";

/**
 * The account of this name if it holds the credential. The credentials are read even if there is no such account, because the time would reveal
 * that.
 */
async function namedHolders(
  client: SqlClient,
  searches: readonly SqlSearchSettings[],
  { id, username, protocol }: MfaQuery & { readonly id: string },
  context: CallContext,
): Promise<readonly CredentialHolder[]> {
  const holders: CredentialHolder[] = [];
  for (const search of searches) {
    const { mfa } = search;
    if (mfa === undefined) continue;
    const by = protocol ?? search.protocols[0] ?? mfaProtocol;
    const row = await findUserRow(client, search, { username, protocol: by }, context);
    const account = row === undefined ? username : rowToAccount(row, search).account;
    const stored = createFactorRows(client, mfa, { account });
    const { webauthnCredentials } = await stored.readFactors(context);
    const isHeld = webauthnCredentials.some((text) => webauthnCredentialId(text) === id);
    if (row !== undefined && isHeld) holders.push({ account });
  }
  return holders;
}

/** Second factors and app passwords in an SQL database: in Postern's tables, or with the site's own statements. */
export function createSqlFactors(searches: readonly SqlSearchSettings[], client: SqlClient): SecondFactorStore {
  const searchesFor = ({ protocol }: MfaQuery): readonly SqlSearchSettings[] => {
    const search = selectSearch(searches, protocol ?? mfaProtocol);
    if (search !== undefined) return [search];
    return protocol === undefined ? searches : [];
  };

  const findUser = async (query: MfaQuery, context: CallContext): Promise<FoundRow | undefined> => {
    for (const search of searchesFor(query)) {
      const protocol = query.protocol ?? search.protocols[0] ?? mfaProtocol;
      const row = await findUserRow(client, search, { username: query.username, protocol }, context);
      if (row !== undefined) return { row, search };
    }
    return undefined;
  };

  return {
    findHolders: (wanted, query, context) =>
      wanted.by === "name"
        ? namedHolders(client, searchesFor(query), { ...query, id: wanted.id }, context)
        : webauthnHoldersSql(client, searches, wanted, context),
    pretendAccount: async (query) => {
      const [search] = searchesFor(query);
      return search && createFactorRows(client, search.mfa, { account: query.username });
    },
    async findAccount(query, context): Promise<FindOutcome> {
      if (searchesFor(query).length === 0) return { kind: "not_served" };
      const found = await findUser(query, context);
      if (found === undefined) return { kind: "unknown_user" };
      const { row, search } = found;
      const { account, uniqueUserId = "" } = rowToAccount(row, search);
      const { displayNameField } = search;
      return {
        kind: "ok",
        isDisabled: isDisabled(row, search),
        account: createFactorRows(client, search.mfa, {
          account,
          displayName: displayNameField === undefined ? account : readColumn(row, displayNameField),
          uniqueUserId: uniqueUserId === "" ? undefined : uniqueUserId,
        }),
      };
    },
  };
}
