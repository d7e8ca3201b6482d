import { createSecretKey, randomBytes } from "node:crypto";
import { createKeyedDigest, type KeyedDigest, type Secret } from "@postern/shared/platform/crypto";
import type { Clock } from "@postern/shared/platform/time";
import type {
  Backend,
  BackendContext,
  BackendQuery,
  LookupOutcome,
  PasswordWarning,
  VerifyOutcome,
} from "../backend.ts";
import { backendUnavailable } from "../servers/errors.ts";
import type { ServerLog } from "../servers/target-set.ts";
import { type ReportedState, stateAfterBind } from "./account-state.ts";
import { accountName } from "./attributes.ts";
import { type BindRefusal, bindRefusal } from "./errors.ts";
import { accountOf, type Found, findInSearch, isDisabled } from "./find-user.ts";
import { createLdapPool, type LdapPool, type LdapPoolSnapshot } from "./ldap-pool.ts";
import { createAccountListing } from "./list-accounts.ts";
import { createLoginCosts, type LoginCosts } from "./login-costs.ts";
import { createLdapMfaCredentials } from "./mfa-credentials.ts";
import { createPolicyControls, type PasswordPolicy } from "./password-policy.ts";
import { compileSearches } from "./select-search.ts";
import type { LdapBackendSettings } from "./settings.ts";
import { createUnknownNames, type UnknownNames } from "./unknown-names.ts";

export interface LdapBackend extends Backend {
  verify(...call: Parameters<Backend["verify"]>): Promise<VerifyOutcome>;
  lookup(...call: Parameters<Backend["lookup"]>): Promise<LookupOutcome>;
  /** State of each pool, for metrics. */
  snapshot(): Readonly<Record<string, LdapPoolSnapshot>>;
}

export interface LdapBackendDeps {
  readonly clock: Clock;
  readonly log: ServerLog;
  /** Chooses the cost of unknown names; engines that share its key choose the same. */
  readonly digest?: KeyedDigest | undefined;
  /** Observed costs of sign-ins in a pool, by its name; without it, learning starts over. */
  readonly costsOf?: ((pool: string) => LoginCosts) | undefined;
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
  const unknown = createUnknownNames({ searches, digest, costsOf, clock });
  const listing = createAccountListing(searches, deps.clock);

  const find = async (query: BackendQuery, context: BackendContext): Promise<Found | "none" | "not_served"> => {
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
    mfa: createLdapMfaCredentials(searches),
    verify: async (query, password, context) => {
      const startedMs = performance.now();
      const found = await find(query, context);
      if (found === "not_served") return { kind: "not_served" };
      if (found === "none") {
        unknown.missed(query, performance.now() - startedMs);
        return { kind: "unknown_user" };
      }
      if (found.search.pool.settings.lookupPoolOnly) return { kind: "not_served" };
      return bindAsUser(found, { query, password, context, startedMs, unknown });
    },
    lookup: async (query, context) => {
      const found = await find(query, context);
      if (found === "not_served") return { kind: "not_served" };
      if (found === "none") return { kind: "unknown_user" };
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
  readonly query: BackendQuery;
  readonly password: Secret;
  readonly context: BackendContext;
  /** Start of its search, by `performance.now()`. */
  readonly startedMs: number;
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

/** Binds only once for one name: a second refusal would count against the user on the server. */
async function bindAsUser(found: Found, login: Login): Promise<VerifyOutcome> {
  const { query, context } = login;
  const result = await bindAs(found, login);
  login.unknown.answered(found.search, found.entry.dn, performance.now() - login.startedMs);
  if (result.isRight) return admitted(found, result.policy, login);
  if (found.isRemembered) {
    const anew = await findInSearch(found.search, query, context, true);
    if (anew === undefined) return { kind: "unknown_user" };
    if (anew.entry.dn !== found.entry.dn) return bindAsUser(anew, login);
  }
  const { kind, reported } = result.refusal;
  if (kind === "unknown_user") return { kind };
  if (reported !== undefined) return closedOutcome(found, reported);
  return { kind, account: accountName(found.entry, found.search.mapping.accountField) };
}
