import { randomUUID } from "node:crypto";
import { fromUnknown } from "@postern/shared/platform/errors";
import { nameForms } from "@postern/shared/platform/net";
import type { BackendContext, BackendQuery } from "../backend.ts";
import type { FactorKind, FindOutcome, MfaAccount, SecondFactorStore } from "../second-factor-store.ts";
import { backendUnavailable } from "../servers/errors.ts";
import { createAppPasswordValues } from "./app-password-values.ts";
import { findValues, toBackendAccount } from "./attributes.ts";
import { createCredentialValues } from "./credential-values.ts";
import { type Found, findInSearch, isDisabled, isFound } from "./find-user.ts";
import type { LdapSearchSettings } from "./ldap-settings.ts";
import type { CompiledSearch } from "./select-search.ts";
import { webauthnHolders } from "./webauthn-holders.ts";

type Searches = ReadonlyMap<string, readonly CompiledSearch[]>;

function supportedKinds({
  totp,
  recoveryCodes,
  webauthn,
  appPasswords,
}: LdapSearchSettings["mfa"]): ReadonlySet<FactorKind> {
  const places = { totp, recovery_codes: recoveryCodes, webauthn, app_passwords: appPasswords } as const;
  const kinds: readonly FactorKind[] = ["totp", "recovery_codes", "webauthn", "app_passwords"];
  return new Set(kinds.filter((kind) => places[kind].field !== ""));
}

/** The name of an entry that cannot exist. */
const absentRdn = `cn=${randomUUID()}`;

const allOf = (searches: Searches): readonly CompiledSearch[] => [...new Set([...searches.values()].flat())];

/** Without a protocol: the searches for `mfa`, or else all, each once. */
function candidates(searches: Searches, protocol: string | undefined): readonly CompiledSearch[] {
  if (protocol !== undefined) return searches.get(protocol) ?? [];
  return searches.get("mfa") ?? allOf(searches);
}

async function namesOf({ search, entry }: Found, context: BackendContext) {
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
    throw backendUnavailable(`search in LDAP pool ${search.pool.name}`, error);
  }
}

async function mfaAccount(found: Found, context: BackendContext): Promise<MfaAccount> {
  const { account } = toBackendAccount(found.entry, found.search.mapping);
  return accountAt(found, account, await namesOf(found, context));
}

function accountAt(
  { search, entry }: Found,
  account: string,
  names: Pick<MfaAccount, "displayName" | "uniqueUserId">,
): MfaAccount {
  const { mfa, pool } = search;
  const totp = createCredentialValues(pool, entry.dn, mfa.totp);
  const recoveryCodes = createCredentialValues(pool, entry.dn, mfa.recoveryCodes);
  const webauthn = createCredentialValues(pool, entry.dn, mfa.webauthn);
  const supports = supportedKinds(mfa);
  return {
    account,
    dn: entry.dn,
    ...names,
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
    ...createAppPasswordValues(createCredentialValues(pool, entry.dn, mfa.appPasswords)),
  };
}

/** Second factors and app passwords in attributes of the users' entries. */
export function createLdapFactors(searches: Searches): SecondFactorStore {
  return {
    findHolders: async (wanted, { username, protocol }, context) => {
      const queries = nameForms(username).map((form) => ({ username: form, protocol: protocol ?? "mfa" }));
      const eligibleSearches = wanted.by === "name" ? candidates(searches, protocol) : allOf(searches);
      const places = eligibleSearches.flatMap((search) => queries.map((query) => ({ search, query })));
      const found = await Promise.all(
        places.map(({ search, query }) => webauthnHolders(search, { ...wanted, query }, context)),
      );
      return found.flat();
    },
    findAccount: async ({ username, protocol }, context): Promise<FindOutcome> => {
      const eligibleSearches = candidates(searches, protocol);
      if (eligibleSearches.length === 0) return { kind: "not_served" };
      const query: BackendQuery = { username, protocol: protocol ?? "mfa" };
      // All run concurrently, so that the time does not reveal which of them knows the name.
      const answers = await Promise.allSettled(
        eligibleSearches.map((search) => findInSearch(search, query, context, true)),
      );
      for (const answer of answers) {
        if (answer.status === "rejected") throw fromUnknown(answer.reason);
        const found = answer.value;
        if (!isFound(found)) continue;
        const [account, disabled] = await Promise.all([mfaAccount(found, context), isDisabled(found, context)]);
        return { kind: "ok", account, isDisabled: disabled };
      }
      return { kind: "unknown_user" };
    },
    pretendAccount: async ({ username, protocol }, context) => {
      const [search] = candidates(searches, protocol);
      if (search === undefined) return undefined;
      const query: BackendQuery = { username, protocol: protocol ?? "mfa" };
      const base = search.baseDn.expand(query);
      const entry = { dn: base === "" ? absentRdn : `${absentRdn},${base}` };
      const found: Found = { search, entry, query, isRemembered: false };
      const names = { displayName: undefined, uniqueUserId: undefined };
      await Promise.allSettled([namesOf(found, context), isDisabled(found, context)]);
      return accountAt(found, username, names);
    },
  };
}
