import { type Filter, OrFilter, SubstringFilter } from "ldapts";
import { idSpellings, webauthnCredentialId } from "../../second-factors/webauthn-credential.ts";
import type { BackendContext, BackendQuery } from "../backend.ts";
import type { CredentialHolder, CredentialSearch } from "../second-factor-store.ts";
import { backendUnavailable } from "../servers/errors.ts";
import { accountName, findValues } from "./attributes.ts";
import { isNoSuchName } from "./errors.ts";
import type { CompiledSearch } from "./select-search.ts";

const sizeLimit = 64;

interface Wanted extends CredentialSearch {
  readonly query: BackendQuery;
}

function filterOf({ filter, mfa }: CompiledSearch, { id, by, query }: Wanted): Filter {
  if (by === "name") return filter(query);
  const attribute = mfa.webauthn.field;
  const filters = idSpellings(id).map((text) =>
    by === "start"
      ? new SubstringFilter({ attribute, initial: `{"id":"${text}` })
      : new SubstringFilter({ attribute, any: [`"${text}`] }),
  );
  return new OrFilter({ filters });
}

/** A credential is searched for by its id, below all bases to which the search's base may expand. */
function placeOf({ baseDn, scope }: CompiledSearch, { by, query }: Wanted) {
  if (by === "name" || !baseDn.hasMacros || baseDn.fixedPart === "") return { baseDn: baseDn.expand(query), scope };
  return { baseDn: baseDn.fixedPart, scope: "sub" as const };
}

/**
 * Accounts of a search whose entries hold the credential. To search by the id, the attribute needs a SUBSTR matching rule; without one
 * the server finds nothing.
 */
export async function webauthnHolders(
  search: CompiledSearch,
  wanted: Wanted,
  context: BackendContext,
): Promise<readonly CredentialHolder[]> {
  const { pool, mapping, mfa } = search;
  const { field } = mfa.webauthn;
  const place = placeOf(search, wanted);
  if (field === "") return [];
  const timeLimit = pool.settings.searchTimeLimitSeconds;
  const attributes = [field, mapping.accountField].filter((name) => name.toLowerCase() !== "dn");
  try {
    const options = { scope: place.scope, filter: filterOf(search, wanted), attributes, sizeLimit, timeLimit };
    const { searchEntries } = await pool.lookup.search(place.baseDn, options, context);
    return searchEntries.flatMap((entry) =>
      findValues(entry, field).some((value) => webauthnCredentialId(value) === wanted.id)
        ? { account: accountName(entry, mapping.accountField) ?? entry.dn, dn: entry.dn }
        : [],
    );
  } catch (error) {
    if (isNoSuchName(error)) return [];
    throw backendUnavailable(`search for a credential in LDAP pool ${pool.name}`, error);
  }
}
