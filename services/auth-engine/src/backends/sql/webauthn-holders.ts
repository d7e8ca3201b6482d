import type { CallContext } from "../../decision/call-context.ts";
import { idSpellings, webauthnCredentialId } from "../../second-factors/webauthn-credential.ts";
import type { CredentialHolder, CredentialSearch } from "../second-factor-store.ts";
import { mfaTableStatements } from "./factor-statements.ts";
import { readColumn } from "./row-to-account.ts";
import type { SqlClient } from "./sql-client.ts";
import type { SqlSearchSettings } from "./sql-settings.ts";

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
export async function webauthnHoldersSql(
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
