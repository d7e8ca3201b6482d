import type { Domain } from "@postern/shared/domain/domains";
import type { Config } from "@postern/shared/platform/config";
import type { Secret } from "@postern/shared/platform/crypto";
import type { Backend, BackendContext, BackendQuery } from "../../../services/auth-engine/src/backends/backend.ts";
import type { BackendSettings } from "../../../services/auth-engine/src/backends/backend-settings.ts";
import { findInSearch, isFound } from "../../../services/auth-engine/src/backends/ldap/find-user.ts";
import { createLdapPool } from "../../../services/auth-engine/src/backends/ldap/ldap-pool.ts";
import type { LdapBackendSettings } from "../../../services/auth-engine/src/backends/ldap/ldap-settings.ts";
import { compileSearches } from "../../../services/auth-engine/src/backends/ldap/select-search.ts";
import { toQueryParameters } from "../../../services/auth-engine/src/backends/sql/query-parameters.ts";
import { type SqlBackendSettings, selectSearch } from "../../../services/auth-engine/src/backends/sql/sql-settings.ts";
import {
  createBackendOfNone,
  createBackendsByName,
} from "../../../services/auth-engine/src/domains/domain-backends.ts";
import { addressRule } from "../../../services/auth-engine/src/domains/own-addresses.ts";
import { liveEngineSettings } from "../../../services/auth-engine/src/settings.ts";
import { describeDomain, placeName } from "./domain-of.ts";
import { type MakeDeps, makeBackend } from "./make-directory.ts";
import { type ReportStep, reasonOf, type TestStep, type Verdict } from "./steps.ts";
import { testAccount } from "./test-account.ts";

/** Reports each search of the protocol as it is sent, and the entry that it finds. */
async function reportLdapSearches(
  settings: LdapBackendSettings,
  {
    query,
    context,
    report,
  }: { readonly query: BackendQuery; readonly context: BackendContext; readonly report: ReportStep },
  deps: Pick<MakeDeps, "clock" | "log">,
): Promise<void> {
  const pools = Object.entries(settings.pools).map(([name, pool]) => [name, createLdapPool(name, pool, deps)] as const);
  try {
    for (const search of compileSearches(settings.searches, new Map(pools)).get(query.protocol) ?? []) {
      const base = search.baseDn.expand(query);
      report(
        "search",
        "ok",
        `pool ${search.pool.name}, scope ${search.scope}, base ${base}, filter ${search.filter(query).toString()}`,
      );
      const found = await findInSearch(search, query, context, true);
      if (isFound(found)) return report("entry", "ok", found.entry.dn);
      report("entry", "note", "no entry");
    }
  } finally {
    await Promise.all(pools.map(([, pool]) => pool.close()));
  }
}

/** Reports the site's query for the protocol and the values of its parameters. */
function reportSqlQuery({ searches }: SqlBackendSettings, query: BackendQuery, report: ReportStep): void {
  const search = selectSearch(searches, query.protocol);
  if (search === undefined) return;
  const used = Object.entries(toQueryParameters(query)).filter(([name]) => search.userQuery.includes(`:${name}`));
  const values = used.map(([name, value]) => `:${name} = ${JSON.stringify(value)}`).join(", ");
  report("query", "ok", `${search.userQuery.replaceAll(/\s+/g, " ").trim()} with ${values || "no values"}`);
}

export interface TestedLogin {
  readonly username: string;
  readonly protocol: string;
  readonly password: Secret | undefined;
}

export interface LoginReport {
  readonly steps: readonly TestStep[];
  readonly verdict: Verdict;
}

type Answer = Awaited<ReturnType<typeof testAccount>>;

async function askBackend(
  settings: BackendSettings,
  login: TestedLogin,
  {
    report,
    timeoutMs,
    deps,
    seen,
  }: {
    readonly report: ReportStep;
    readonly timeoutMs: number;
    readonly deps: MakeDeps;
    readonly seen: (backend: Backend) => Backend;
  },
): Promise<Answer> {
  const { username, protocol, password } = login;
  const context = { deadline: deps.clock.now() + timeoutMs, signal: AbortSignal.timeout(timeoutMs) };
  const query = { username, protocol };
  const bare = await makeBackend(settings, deps);
  const backend = bare && seen(bare);
  if (backend === undefined) {
    report("directory", "note", "Lua script: test it with `postern script test`");
    return "unknown";
  }
  try {
    await backend.check(context);
    report("connection", "ok", "established");
    if (settings.kind === "ldap") await reportLdapSearches(settings.settings, { query, context, report }, deps);
    if (settings.kind === "sql") reportSqlQuery(settings.settings, query, report);
    return await testAccount({ backend, query, password, context, report });
  } finally {
    await backend.close();
  }
}

/** The first backend that knows the user decides. A denial is final only if all backends before it were available. */
export async function testLogin(config: Config, login: TestedLogin, deps: MakeDeps): Promise<LoginReport> {
  const steps: TestStep[] = [];
  const report: ReportStep = (step, outcome, detail) => void steps.push({ step, outcome, detail });
  report("order", "ok", config.auth.backends.order.join(", "));
  if (login.password?.reveal() === "") {
    report("password", "stop", "empty: denied before any backend is queried");
    return { steps, verdict: "denied" };
  }
  const placed = await placeName(config, login.username, deps).catch((error: unknown) => {
    report("domain", "stop", reasonOf(error));
    return "temporary_failure" as const;
  });
  if (placed === "temporary_failure") return { steps, verdict: placed };
  const refused = placed && refusedBy(placed.domain, login, report);
  if (refused !== undefined) return { steps, verdict: refused };
  const spelled = { ...login, username: placed?.username ?? login.username };
  const backends = backendsOf(liveEngineSettings(config).backends, config, placed?.domain);
  const byName = createBackendsByName({
    set: { current: [] },
    domains: () => placed?.all,
    order: () => siteOrder(config),
    none: createBackendOfNone(async () => undefined),
    onForeign: (account) => report("account", "stop", `${account} is an account of another domain`),
    addresses: {
      rule: () => addressRule(config),
      onForeignAddress: ({ attribute }) =>
        report("attributes", "ok", `${attribute}: an address of another domain is not released`),
    },
  });
  const seen = (backend: Backend): Backend =>
    placed?.domain.isKnown === true ? byName.seenFrom(placed.domain, backend) : backend;
  return { steps, verdict: await verdictOf(config, spelled, { steps, deps, backends, seen }) };
}

/** Reports the record of the name's domain, and what it refuses before any backend is queried. */
function refusedBy(domain: Domain, { protocol }: TestedLogin, report: ReportStep): Verdict | undefined {
  const isServed =
    domain.isKnown && domain.isEnabled && (domain.protocols.size === 0 || domain.protocols.has(protocol));
  report("domain", isServed ? "ok" : "stop", describeDomain(domain));
  if (domain.isKnown && !domain.isEnabled) report("domain", "stop", "not enabled");
  else if (domain.isKnown && !isServed) report("domain", "stop", `not for the protocol ${protocol}`);
  return isServed ? undefined : "denied";
}

function siteOrder({ auth }: Config): readonly string[] {
  return auth.backends.order.map((entry) => entry.trim());
}

/** The backends of the domain, in its order; those of the site's order for a domain without backends. */
function backendsOf(
  all: readonly BackendSettings[],
  config: Config,
  domain: Domain | undefined,
): readonly BackendSettings[] {
  const own = domain?.isKnown === true ? domain.backends : [];
  const names = own.length > 0 ? own : siteOrder(config);
  return names.flatMap((name) => all.filter(({ settings }) => settings.name === name));
}

interface TestContext {
  readonly backends: readonly BackendSettings[];
  /** A backend as the domain of the name sees it. */
  readonly seen: (backend: Backend) => Backend;
  readonly steps: TestStep[];
  readonly deps: MakeDeps;
}

async function verdictOf(
  config: Config,
  login: TestedLogin,
  { steps, deps, backends, seen }: TestContext,
): Promise<Verdict> {
  let undecided: Verdict | undefined;
  let isServed = false;
  for (const settings of backends) {
    const { name } = settings.settings;
    const reportStep: ReportStep = (step, outcome, detail) =>
      void steps.push({ step, outcome, detail, directory: name });
    const means = { report: reportStep, timeoutMs: config.runtime.timeouts.decision, deps, seen };
    const answer = await askBackend(settings, login, means).catch((error: unknown): Answer => {
      reportStep("failure", "stop", reasonOf(error));
      return "temporary_failure";
    });
    if (answer === "accepted") return answer;
    if (answer === "denied") return undecided ?? answer;
    if (answer === "unknown_user") isServed = true;
    else if (answer === "unknown" && settings.kind !== "lua") return answer;
    else if (answer !== "not_served") undecided ??= answer;
  }
  return undecided ?? (isServed ? "denied" : "temporary_failure");
}
