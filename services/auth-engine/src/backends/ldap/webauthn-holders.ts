import { OrFilter, SubstringFilter } from "ldapts";
import type { BackendContext, BackendQuery } from "../backend.ts";
import type { CredentialHolder } from "../mfa-credentials.ts";
import { backendUnavailable } from "../servers/errors.ts";
import { webauthnCredentialId } from "../webauthn-credential.ts";
import { accountName, findValues } from "./attributes.ts";
import { isNoSuchObject } from "./errors.ts";
import type { CompiledSearch } from "./select-search.ts";

const sizeLimit = 64;

/**
 * Accounts below the base of a search whose entries hold a credential with this id. The attribute needs a SUBSTR
 * matching rule; without one the server finds nothing.
 */
export async function webauthnHolders(
  { pool, scope, baseDn, mapping, mfa }: CompiledSearch,
  { id, query }: { readonly id: string; readonly query: BackendQuery },
  context: BackendContext,
): Promise<readonly CredentialHolder[]> {
  const { field } = mfa.webauthn;
  if (field === "") return [];
  const spellings = new Set([id, id.replaceAll("-", "+").replaceAll("_", "/")]);
  const filters = [...spellings].map((text) => new SubstringFilter({ attribute: field, any: [`"${text}`] }));
  const timeLimit = pool.settings.searchTimeLimitSeconds;
  const attributes = [field, mapping.accountField].filter((name) => name.toLowerCase() !== "dn");
  try {
    const options = { scope, filter: new OrFilter({ filters }), attributes, sizeLimit, timeLimit } as const;
    const { searchEntries } = await pool.lookup.search(baseDn.expand(query), options, context);
    return searchEntries.flatMap((entry) =>
      findValues(entry, field).some((value) => webauthnCredentialId(value) === id)
        ? { account: accountName(entry, mapping.accountField) ?? entry.dn, dn: entry.dn }
        : [],
    );
  } catch (error) {
    if (isNoSuchObject(error)) return [];
    throw backendUnavailable(`search for a credential in LDAP pool ${pool.name}`, error);
  }
}
