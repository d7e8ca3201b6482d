import { randomUUID } from "node:crypto";
import type { Secret } from "@postern/shared/crypto";
import { AppError } from "@postern/shared/errors";
import type { Clock } from "@postern/shared/time";
import { PasswordPolicyControl } from "ldapts";
import type { Directory, DirectoryContext, DirectoryQuery, LookupOutcome, VerifyOutcome } from "../directory.ts";
import { directoryUnavailable } from "../servers/errors.ts";
import type { ServerLog } from "../servers/target-set.ts";
import { accountName } from "./attributes.ts";
import { type BindRefusal, bindRefusal, classifyFailure } from "./errors.ts";
import { accountOf, type Found, findInSearch, isDisabled } from "./find-user.ts";
import { createLdapPool, type LdapPool, type LdapPoolSnapshot } from "./ldap-pool.ts";
import { createAccountListing } from "./list-accounts.ts";
import { createLdapMfaArtefacts } from "./mfa-artefacts.ts";
import { compileSearches } from "./select-search.ts";
import type { LdapDirectorySettings } from "./settings.ts";

export interface LdapDirectory extends Directory {
  verify(...call: Parameters<Directory["verify"]>): Promise<VerifyOutcome>;
  lookup(...call: Parameters<Directory["lookup"]>): Promise<LookupOutcome>;
  /** State of each pool, for metrics. */
  snapshot(): Readonly<Record<string, LdapPoolSnapshot>>;
}

/**
 * Verifies by search and bind. Connects when first asked, so it starts while its servers are away. Throws
 * `CONFIG_INVALID` for settings that can never work.
 */
export function createLdapDirectory(
  settings: LdapDirectorySettings,
  deps: { readonly clock: Clock; readonly log: ServerLog },
): LdapDirectory {
  const pools = new Map(
    Object.entries(settings.pools).map(([name, pool]) => [name, createLdapPool(name, pool, deps)] as const),
  );
  const searches = compileSearches(settings.searches, pools);
  const listing = createAccountListing(searches, deps.clock);

  const find = async (query: DirectoryQuery, context: DirectoryContext): Promise<Found | "none" | "not_served"> => {
    const candidates = searches.get(query.protocol);
    if (candidates === undefined) return "not_served";
    for (const search of candidates) {
      const found = await findInSearch(search, query, context);
      if (found !== undefined) return found;
    }
    return "none";
  };

  return {
    kind: "ldap",
    name: settings.name,
    mfa: createLdapMfaArtefacts(searches),
    verify: async (query, password, context) => {
      const found = await find(query, context);
      if (found === "not_served") return { kind: "not_served" };
      if (found === "none") return { kind: "unknown_user" };
      if (found.search.pool.settings.lookupPoolOnly) return { kind: "not_served" };
      return bindAsUser(found, { query, password, context });
    },
    lookup: async (query, context) => {
      const found = await find(query, context);
      if (found === "not_served") return { kind: "not_served" };
      if (found === "none") return { kind: "unknown_user" };
      if (await isDisabled(found, query, context)) return { kind: "unknown_user" };
      return { kind: "ok", account: await accountOf(found, query, context) };
    },
    listAccounts: listing.listAccounts,
    endListing: listing.endListing,
    spendVerification: verificationSpender(searches),
    forget: (name) => {
      for (const pool of pools.values()) pool.caches.forget(name);
    },
    check: async (context) => {
      await Promise.all([...pools.values()].map((pool) => checkPool(pool, context)));
    },
    snapshot: () => Object.fromEntries([...pools].map(([name, pool]) => [name, pool.snapshot()])),
    close: async () => {
      listing.close();
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };
}

/** A bind under a name that cannot exist. */
function verificationSpender(searches: ReturnType<typeof compileSearches>): Directory["spendVerification"] {
  const absentRdn = `cn=${randomUUID()}`;
  return async (query, password, context) => {
    const [search] = searches.get(query.protocol) ?? [];
    if (search === undefined || password.isEmpty || search.pool.settings.lookupPoolOnly) return;
    const baseDn = search.baseDn.expand(query);
    try {
      await search.pool.bind.bind(baseDn === "" ? absentRdn : `${absentRdn},${baseDn}`, password, context);
    } catch (error) {
      if (error instanceof AppError || classifyFailure(error) !== "answer") throw error;
    }
  };
}

async function checkPool(pool: LdapPool, context: DirectoryContext): Promise<void> {
  try {
    await pool.lookup.check(context);
  } catch (error) {
    throw directoryUnavailable(`check of LDAP pool ${pool.name}`, error);
  }
}

interface Login {
  readonly query: DirectoryQuery;
  readonly password: Secret;
  readonly context: DirectoryContext;
}

type BindResult = { readonly isRight: true } | { readonly isRight: false; readonly refusal: BindRefusal };

async function bindAs({ search, entry }: Found, { password, context }: Login): Promise<BindResult> {
  const policy = new PasswordPolicyControl();
  try {
    await search.pool.bind.bind(entry.dn, password, context, policy);
    return { isRight: true };
  } catch (error) {
    const refusal = bindRefusal(error, policy.value);
    if (refusal !== undefined) return { isRight: false, refusal };
    throw directoryUnavailable(`bind in LDAP pool ${search.pool.name}`, error);
  }
}

/** Never twice under one name: a second refusal would count against the user at the server. */
async function bindAsUser(found: Found, login: Login): Promise<VerifyOutcome> {
  const { query, context } = login;
  const result = await bindAs(found, login);
  if (result.isRight) {
    if (await isDisabled(found, query, context)) return { kind: "account_disabled", detail: "disabled" };
    return { kind: "ok", account: await accountOf(found, query, context) };
  }
  if (found.isRemembered) {
    const anew = await findInSearch(found.search, query, context, true);
    if (anew === undefined) return { kind: "unknown_user" };
    if (anew.entry.dn !== found.entry.dn) return bindAsUser(anew, login);
  }
  const { kind, accountState } = result.refusal;
  if (kind === "unknown_user") return { kind };
  const account = accountName(found.entry, found.search.mapping.accountField);
  return kind === "account_disabled" ? { kind, account, detail: accountState } : { kind, account };
}
