import { fromUnknown } from "@postern/shared/platform/errors";
import { nameForms } from "@postern/shared/platform/net";
import { type Filter, OrFilter, SubstringFilter } from "ldapts";
import { type Static, Type } from "typebox";
import { Value } from "typebox/value";
import type { BackendContext, BackendQuery } from "../backend.ts";
import {
  type CredentialHolder,
  type CredentialSearch,
  type FactorKind,
  type FindOutcome,
  factorKinds,
  type MfaAccount,
  type SecondFactorStore,
  type StoredAppPassword,
} from "../second-factor-store.ts";
import { backendUnavailable } from "../servers/errors.ts";
import { idSpellings, webauthnCredentialId } from "../webauthn-credential.ts";
import { accountName, findValues, toBackendAccount } from "./attributes.ts";
import { type CredentialValues, createCredentialValues } from "./credential-values.ts";
import { isNoSuchName } from "./errors.ts";
import { type Found, findInSearch, isDisabled, isFound } from "./find-user.ts";
import type { LdapSearchSettings } from "./ldap-settings.ts";
import type { CompiledSearch } from "./select-search.ts";
import { absentDn } from "./unknown-names.ts";

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
async function webauthnHolders(
  search: CompiledSearch,
  wanted: Wanted,
  context: BackendContext,
): Promise<readonly CredentialHolder[]> {
  const { pool, mapping, mfa } = search;
  const { field } = mfa.webauthn;
  const place = placeOf(search, wanted);
  if (field === "") return [];
  const attributes = [field, mapping.accountField].filter((name) => name.toLowerCase() !== "dn");
  try {
    const options = { scope: place.scope, filter: filterOf(search, wanted), attributes, sizeLimit };
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

const Stored = Type.Object({
  id: Type.String({ minLength: 1 }),
  digest: Type.String({ minLength: 1 }),
  label: Type.String(),
  protocols: Type.Array(Type.String()),
  createdAt: Type.Number(),
  lastUsedAt: Type.Optional(Type.Number()),
});

/** Undefined for values that Postern did not write: a value that a person typed must not break every sign-in. */
function parsed(text: string): Static<typeof Stored> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Value.Check(Stored, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const written = ({ id, digest, label, protocols, createdAt, lastUsedAt }: StoredAppPassword): string =>
  JSON.stringify({ id, digest, label, protocols, createdAt, lastUsedAt });

type AppPasswordMethods = "listAppPasswords" | "addAppPassword" | "removeAppPassword" | "touchAppPassword";

/** One JSON object per value. */
function createAppPasswordValues(values: CredentialValues): Pick<MfaAccount, AppPasswordMethods> {
  return {
    listAppPasswords: async (context) => (await values.read(context)).flatMap((text) => parsed(text) ?? []),
    addAppPassword: (stored, context) => values.add(written(stored), context),
    // A simultaneous sign-in changes the text, so a removal by its text would leave the app password.
    removeAppPassword: (id, context) => values.removeMatching((text) => parsed(text)?.id === id, context),
    touchAppPassword: async (id, at, context) => {
      const text = (await values.read(context)).find((value) => parsed(value)?.id === id);
      const stored = text === undefined ? undefined : parsed(text);
      if (text === undefined || stored === undefined) return;
      await values.exchange(text, written({ ...stored, lastUsedAt: at }), context);
    },
  };
}

type Searches = ReadonlyMap<string, readonly CompiledSearch[]>;

function supportedKinds(mfa: LdapSearchSettings["mfa"]): ReadonlySet<FactorKind> {
  const { totp, recoveryCodes: recovery_codes, webauthn, appPasswords: app_passwords } = mfa;
  const places = { totp, recovery_codes, webauthn, app_passwords };
  return new Set(factorKinds.filter((kind) => places[kind].field !== ""));
}

const allOf = (searches: Searches): readonly CompiledSearch[] => [...new Set([...searches.values()].flat())];

/** Without a protocol, these are the searches for `mfa`, or else all, each once. */
function candidates(searches: Searches, protocol: string | undefined): readonly CompiledSearch[] {
  if (protocol !== undefined) return searches.get(protocol) ?? [];
  return searches.get("mfa") ?? allOf(searches);
}

async function namesOf({ search, entry }: Found, context: BackendContext) {
  const { displayNameField, uniqueUserIdField } = search.mfa;
  const attributes = [displayNameField, uniqueUserIdField].filter((name) => name !== "");
  if (attributes.length === 0) return {};
  const options = { scope: "base", attributes, sizeLimit: 1 } as const;
  const doing = `search in LDAP pool ${search.pool.name}`;
  const [found = entry] = await search.pool.lookup.entries(doing, entry.dn, options, context);
  const first = (name: string): string | undefined => (name === "" ? undefined : findValues(found, name)[0]);
  return { displayName: first(displayNameField), uniqueUserId: first(uniqueUserIdField) };
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
      const entry = { dn: absentDn(search.baseDn.expand(query)) };
      const found: Found = { search, entry, query, isRemembered: false };
      const names = { displayName: undefined, uniqueUserId: undefined };
      await Promise.allSettled([namesOf(found, context), isDisabled(found, context)]);
      return accountAt(found, username, names);
    },
  };
}
