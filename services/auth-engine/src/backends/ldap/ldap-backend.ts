import { createSecretKey, randomBytes } from "node:crypto";
import { createKeyedDigest, type KeyedDigest, type Secret } from "@postern/shared/platform/crypto";
import type { Clock } from "@postern/shared/platform/time";
import type { Backend, BackendContext, BackendQuery, PasswordWarning, VerifyOutcome } from "../backend.ts";
import { backendUnavailable } from "../servers/errors.ts";
import type { ServerLog } from "../servers/target-set.ts";
import { accountName } from "./attributes.ts";
import { type BindRefusal, bindRefusal, type ReportedState, stateAfterBind } from "./errors.ts";
import { accountOf, type Found, findInSearch, isDisabled, isFound } from "./find-user.ts";
import { createLdapFactors } from "./ldap-factors.ts";
import { createLdapPool, type LdapPool } from "./ldap-pool.ts";
import type { LdapBackendSettings } from "./ldap-settings.ts";
import { createAccountListing } from "./list-accounts.ts";
import { createPolicyControls, type PasswordPolicy } from "./password-policy.ts";
import { type CompiledSearch, compileSearches } from "./select-search.ts";
import { createLoginCosts, createUnknownNames, type LoginCosts, type UnknownNames } from "./unknown-names.ts";

export interface LdapBackend extends Backend {
  /** State of each pool, for metrics. */
  snapshot(): Readonly<Record<string, ReturnType<LdapPool["snapshot"]>>>;
}

export interface LdapBackendDeps {
  readonly clock: Clock;
  readonly log: ServerLog;
  /** Chooses the cost of unknown names; engines that share its key choose the same. */
  readonly digest?: KeyedDigest | undefined;
  /** Observed costs of sign-ins in a pool, by its name; without it, learning starts over. */
  readonly costsOf?: ((pool: string) => LoginCosts) | undefined;
}

/** Runs the searches of a protocol in order, up to the first that finds the user. `isRemembered`: no server was queried. */
function createFind(searches: ReturnType<typeof compileSearches>) {
  return async (query: BackendQuery, context: BackendContext) => {
    const candidates = searches.get(query.protocol);
    if (candidates === undefined) return "not_served" as const;
    let isRemembered = true;
    for (const [index, search] of candidates.entries()) {
      const found = await findInSearch(search, query, context);
      if (isFound(found)) return { found, searched: index + 1, left: candidates.slice(index + 1) };
      if (found === "absent") isRemembered = false;
    }
    return { found: undefined, isRemembered };
  };
}

/**
 * Verifies by search and bind. It connects on first use, so it starts while its servers are unavailable. Throws
 * `CONFIG_INVALID` for settings that can never work.
 */
export function createLdapBackend(settings: LdapBackendSettings, deps: LdapBackendDeps): LdapBackend {
  const pools = new Map(
    Object.entries(settings.pools).map(([name, pool]) => [name, createLdapPool(name, pool, deps)] as const),
  );
  const searches = compileSearches(settings.searches, pools);
  const { clock, digest = createKeyedDigest(createSecretKey(randomBytes(32))) } = deps;
  const { costsOf = () => createLoginCosts(digest) } = deps;
  const unknown = createUnknownNames(searches, digest, costsOf, clock);
  const listing = createAccountListing(searches, deps.clock);

  const find = createFind(searches);

  return {
    kind: "ldap",
    name: settings.name,
    mfa: createLdapFactors(searches),
    verify: async (query, password, context) => {
      const startedMs = performance.now();
      const result = await find(query, context);
      if (result === "not_served") return { kind: "not_served" };
      const tookMs = performance.now() - startedMs;
      if (result.found === undefined) {
        unknown.missed(query, { tookMs, isRemembered: result.isRemembered });
        return { kind: "unknown_user" };
      }
      const { found, searched, left } = result;
      if (found.search.pool.settings.lookupPoolOnly) return { kind: "not_served" };
      return bindAsUser(found, { query, password, context, startedMs, searchMs: tookMs / searched, left, unknown });
    },
    lookup: async (query, context) => {
      const result = await find(query, context);
      if (result === "not_served") return { kind: "not_served" };
      const { found } = result;
      if (found === undefined) return { kind: "unknown_user" };
      if (await isDisabled(found, context)) return { kind: "unknown_user", isDisabled: true };
      return { kind: "ok", account: await accountOf(found, context) };
    },
    listAccounts: listing.listAccounts,
    endListing: listing.endListing,
    spendVerification: unknown.spend,
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

async function checkPool(pool: LdapPool, context: BackendContext): Promise<void> {
  try {
    await pool.lookup.check(context);
  } catch (error) {
    throw backendUnavailable(`check of LDAP pool ${pool.name}`, error);
  }
}

interface Login {
  /** Searches that were not needed to find the user. */
  readonly left: readonly CompiledSearch[];
  readonly query: BackendQuery;
  readonly password: Secret;
  readonly context: BackendContext;
  /** Start of its search, by `performance.now()`. */
  readonly startedMs: number;
  /** How long one search took. */
  readonly searchMs: number;
  readonly unknown: Pick<UnknownNames, "answered">;
}

type BindResult =
  | { readonly isRight: true; readonly policy: PasswordPolicy }
  | { readonly isRight: false; readonly refusal: BindRefusal };

async function bindAs({ search, entry }: Found, { password, context }: Login): Promise<BindResult> {
  const answers = createPolicyControls();
  try {
    await search.pool.bind.bind(entry.dn, password, context, answers.controls);
  } catch (error) {
    const refusal = bindRefusal(error, answers.policy());
    if (refusal !== undefined) return { isRight: false, refusal };
    throw backendUnavailable(`bind in LDAP pool ${search.pool.name}`, error);
  }
  return { isRight: true, policy: answers.policy() };
}

/** The outcome for the correct password. */
async function admitted(found: Found, policy: PasswordPolicy, { context }: Login): Promise<VerifyOutcome> {
  if (await isDisabled(found, context)) return { kind: "account_disabled", detail: "disabled" };
  const reported = stateAfterBind(policy);
  if (reported !== undefined) return closedOutcome(found, reported);
  const passwordWarning = warningOf(policy);
  return { kind: "ok", account: await accountOf(found, context), ...(passwordWarning && { passwordWarning }) };
}

function warningOf({ graceLoginsLeft, expiresInSeconds }: PasswordPolicy): PasswordWarning | undefined {
  if (graceLoginsLeft !== undefined) return { graceLoginsLeft };
  return expiresInSeconds === undefined ? undefined : { expiresInSeconds };
}

function closedOutcome({ entry, search }: Found, { state, mustChangePassword }: ReportedState): VerifyOutcome {
  const account = accountName(entry, search.mapping.accountField);
  return { kind: "account_disabled", account, detail: state, mustChangePassword };
}

/** Runs the searches that an unknown name would have needed, so that the time does not reveal that the user was found earlier. */
async function searchInVain({ left, query, context }: Login): Promise<void> {
  for (const search of left) await findInSearch(search, query, context).catch(() => undefined);
}

/** Binds only once for one name: a second refusal would count against the user on the server. */
async function bindAsUser(found: Found, login: Login): Promise<VerifyOutcome> {
  const { query, context } = login;
  const result = await bindAs(found, login);
  if (!result.isRight) await searchInVain(login);
  const tookMs = performance.now() - login.startedMs;
  const costMs = result.isRight ? tookMs + login.left.length * login.searchMs : tookMs;
  login.unknown.answered(found.search, found.entry.dn, costMs);
  if (result.isRight) return admitted(found, result.policy, login);
  if (found.isRemembered) {
    const anew = await findInSearch(found.search, query, context, true);
    if (!isFound(anew)) return { kind: "unknown_user" };
    if (anew.entry.dn !== found.entry.dn) return bindAsUser(anew, { ...login, left: [] });
  }
  const { kind, reported } = result.refusal;
  if (kind === "unknown_user") return { kind };
  if (reported !== undefined) return closedOutcome(found, reported);
  return { kind, account: accountName(found.entry, found.search.mapping.accountField) };
}
