import type { ArtefactKind, FindOutcome, MfaAccount, MfaArtefacts } from "../../mfa-artefacts/mfa-artefacts.ts";
import type { DirectoryContext, DirectoryQuery } from "../directory.ts";
import { directoryUnavailable } from "../servers/errors.ts";
import { createAppPasswordValues } from "./app-password-values.ts";
import { createArtefactValues } from "./artefact-values.ts";
import { findValues, toDirectoryAccount } from "./attributes.ts";
import { type Found, findInSearch, isDisabled } from "./find-user.ts";
import type { LdapMfaSettings } from "./mfa-settings.ts";
import type { CompiledSearch } from "./select-search.ts";

type Searches = ReadonlyMap<string, readonly CompiledSearch[]>;

function supportedKinds({ totp, recoveryCodes, webauthn, appPasswords }: LdapMfaSettings): ReadonlySet<ArtefactKind> {
  const places = { totp, recovery_codes: recoveryCodes, webauthn, app_passwords: appPasswords } as const;
  const kinds: readonly ArtefactKind[] = ["totp", "recovery_codes", "webauthn", "app_passwords"];
  return new Set(kinds.filter((kind) => places[kind].field !== ""));
}

/** Without a protocol: the searches for `mfa`, else all, each once. */
function candidates(searches: Searches, protocol: string | undefined): readonly CompiledSearch[] {
  if (protocol !== undefined) return searches.get(protocol) ?? [];
  return searches.get("mfa") ?? [...new Set([...searches.values()].flat())];
}

async function namesOf({ search, entry }: Found, context: DirectoryContext) {
  const { displayNameField, uniqueUserIdField } = search.mfa;
  const attributes = [displayNameField, uniqueUserIdField].filter((name) => name !== "");
  if (attributes.length === 0) return {};
  const timeLimit = search.pool.settings.searchTimeLimitSeconds;
  try {
    const options = { scope: "base", attributes, sizeLimit: 1, timeLimit } as const;
    const { searchEntries } = await search.pool.lookup.search(entry.dn, options, context);
    const [found = entry] = searchEntries;
    const first = (name: string): string | undefined => (name === "" ? undefined : findValues(found, name)[0]);
    return { displayName: first(displayNameField), uniqueUserId: first(uniqueUserIdField) };
  } catch (error) {
    throw directoryUnavailable(`search in LDAP pool ${search.pool.name}`, error);
  }
}

async function mfaAccount(found: Found, context: DirectoryContext): Promise<MfaAccount> {
  const { search, entry } = found;
  const { mfa, pool, mapping } = search;
  const totp = createArtefactValues(pool, entry.dn, mfa.totp);
  const recoveryCodes = createArtefactValues(pool, entry.dn, mfa.recoveryCodes);
  const webauthn = createArtefactValues(pool, entry.dn, mfa.webauthn);
  const supports = supportedKinds(mfa);
  return {
    account: toDirectoryAccount(entry, mapping).account,
    ...(await namesOf(found, context)),
    supports,
    readFactors: async (read) => {
      const [secrets, codes, credentials] = await Promise.all([
        supports.has("totp") ? totp.read(read) : [],
        supports.has("recovery_codes") ? recoveryCodes.read(read) : [],
        supports.has("webauthn") ? webauthn.read(read) : [],
      ]);
      return { totpSecret: secrets[0], recoveryCodes: codes, webauthnCredentials: credentials };
    },
    replaceTotpSecret: (stored, write) => totp.replace(stored === undefined ? [] : [stored], write),
    replaceRecoveryCodes: recoveryCodes.replace,
    removeRecoveryCode: recoveryCodes.remove,
    addWebauthnCredential: webauthn.add,
    replaceWebauthnCredential: webauthn.exchange,
    removeWebauthnCredential: webauthn.remove,
    ...createAppPasswordValues(createArtefactValues(pool, entry.dn, mfa.appPasswords)),
  };
}

/** Second factors and app passwords in attributes of the users' entries (behaviour reference §4.9). */
export function createLdapMfaArtefacts(searches: Searches): MfaArtefacts {
  return {
    find: async ({ username, protocol }, context): Promise<FindOutcome> => {
      const asked = candidates(searches, protocol);
      if (asked.length === 0) return { kind: "not_served" };
      const query: DirectoryQuery = { username, protocol: protocol ?? "mfa" };
      for (const search of asked) {
        const found = await findInSearch(search, query, context, true);
        if (found === undefined) continue;
        const [account, disabled] = await Promise.all([mfaAccount(found, context), isDisabled(found, query, context)]);
        return { kind: "ok", account, isDisabled: disabled };
      }
      return { kind: "unknown_user" };
    },
  };
}
