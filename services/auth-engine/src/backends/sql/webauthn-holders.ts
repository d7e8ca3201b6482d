import type { CallContext } from "../../decision/call-context.ts";
import type { CredentialHolder } from "../mfa-credentials.ts";
import { webauthnCredentialId } from "../webauthn-credential.ts";
import { mfaTableStatements } from "./mfa-statements.ts";
import { readColumn } from "./row-to-account.ts";
import type { SqlSearchSettings } from "./settings.ts";
import type { SqlClient } from "./sql-client.ts";

const maxRows = 64;

/** The site's statement, or Postern's if the credentials are in its table. */
function statementOf({ mfa }: SqlSearchSettings): readonly string[] {
  if (mfa === undefined) return [];
  const { webauthn_find: own, webauthn_add: adds } = mfa.statements;
  if (own !== undefined) return [own];
  return adds === undefined ? [mfaTableStatements(mfa.tablePrefix).webauthn_find] : [];
}

/** Accounts whose rows hold a credential with this id, in either spelling of base64. */
export async function webauthnHoldersSql(
  client: SqlClient,
  searches: readonly SqlSearchSettings[],
  id: string,
  context: CallContext,
): Promise<readonly CredentialHolder[]> {
  // LIKE's `_` matches any character: the two alphabets of base64 differ in two.
  const parameters = { pattern: `%"${id.replaceAll(/[-_]/g, "_")}%` };
  const holders = new Set<string>();
  for (const statement of new Set(searches.flatMap(statementOf))) {
    const rows = await client.query({ statement, parameters, maxRows }, context);
    for (const row of rows) {
      const isSame = webauthnCredentialId(readColumn(row, "credential") ?? "") === id;
      const account = readColumn(row, "account");
      if (isSame && account !== undefined) holders.add(account);
    }
  }
  return Array.from(holders, (account) => ({ account }));
}
