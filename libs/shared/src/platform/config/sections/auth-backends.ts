import { normalisedProtocol } from "../../../contracts/auth/request.ts";
import { messages } from "../messages.ts";
import { HttpBackend } from "./auth-http.ts";
import { LdapBackend } from "./auth-ldap.ts";
import { LuaBackend } from "./auth-lua.ts";
import { SqlBackend } from "./auth-sql.ts";
import type { Judgement } from "./checks.ts";
import { liveSection, texts } from "./fields.ts";
import type { Config, LdapSearchConfig, SqlSearchConfig } from "./root.ts";

export const Backends = liveSection(
  "Backends. A reload opens new connections and closes the old ones after their last request.",
  {
    order: texts(
      "Backends in the order in which they are queried: `sql`, `sql(pool)`, `ldap`, `ldap(pool)`, `lua`, `http` or `http(pool)`. An entry `cache` also keeps successful decisions of the backends after it in the shared result cache. The list may be empty if all domains of auth.domains have backends of their own, or with runtime.servers.http.auth_policy_endpoint, if mail servers verify all passwords themselves.",
      { default: ["sql"] },
    ),
    ldap: LdapBackend,
    sql: SqlBackend,
    lua: LuaBackend,
    http: HttpBackend,
  },
);

const path = "auth.backends.order";

const kinds = ["sql", "ldap", "lua", "http"] as const;

/** One entry of `auth.backends.order`. */
type BackendEntry = NonNullable<ReturnType<typeof parseBackendEntry>>;

/** `sql`, `sql(pool)`, `ldap`, `ldap(pool)`, `lua`, `http` or `http(pool)`; undefined for anything else, `cache` too. */
export function parseBackendEntry(entry: string) {
  const match = /^([a-z]+)(?:\(([A-Za-z0-9][A-Za-z0-9_-]*)\))?$/.exec(entry.trim());
  const kind = kinds.find((name) => name === match?.[1]);
  const pool = match?.[2];
  return kind === undefined || (kind === "lua" && pool !== undefined) ? undefined : { kind, pool };
}

/** The searches of an SQL or LDAP backend. An SQL backend is one database. An LDAP backend without a pool queries all pools. */
export function searchesOf({ backends }: Config["auth"], { kind, pool }: BackendEntry) {
  const served = kind === "sql" ? (pool ?? "default") : pool;
  const all: readonly (LdapSearchConfig | SqlSearchConfig)[] =
    kind === "sql" ? backends.sql.search : backends.ldap.search;
  return all.filter(({ pool_name }) => served === undefined || pool_name === served);
}

export function validateBackends(config: Config, judgement: Judgement): void {
  const { order, ldap, sql } = config.auth.backends;
  const isUntouched = order.join(" ") === "sql";
  if (isUntouched && ldap.search.length === 0 && sql.search.length === 0) {
    judgement.warning(path, messages.noBackend);
    return;
  }
  const { records, source } = config.auth.domains;
  const hasOthers = records.length > 0 || source.kind !== "none" || config.runtime.servers.http.auth_policy_endpoint;
  if (order.length === 0 && !hasOthers) {
    judgement.problem(path, messages.emptyOrder);
  }
  order.forEach((entry, index) => {
    if (order.indexOf(entry) < index) judgement.problem(`${path}[${index}]`, messages.backendTwice(entry));
    else validateBackendEntry(config, judgement, { entry, at: `${path}[${index}]` });
  });
}

/** @param at path of the entry */
export function validateBackendEntry(
  config: Config,
  { problem }: Judgement,
  { entry, at }: { readonly entry: string; readonly at: string },
): void {
  // `cache` selects the backends whose decisions are shared; validate/storage.ts checks its requirements.
  if (entry === "cache") return;
  const { ldap, sql, http } = config.auth.backends;
  const parsed = parseBackendEntry(entry);
  if (parsed === undefined) {
    problem(at, messages.backendUnknown(entry), messages.backendHint);
    return;
  }
  const { kind, pool } = parsed;
  const pools = { sql: sql.pools, ldap: ldap.pools, http: http.pools, lua: {} };
  if (pool !== undefined && pool !== "default" && !Object.hasOwn(pools[kind], pool)) {
    problem(at, messages.unknownPool(pool));
    return;
  }
  // The script, or the other server, decides which users it knows.
  if (kind === "lua" || kind === "http") return;
  if (searchesOf(config.auth, parsed).length === 0) problem(at, messages.backendWithoutSearch(entry));
}

/** Protocols with which Postern itself queries backends, and who does. Mail servers send their own. */
function askersOf({ identity, auth }: Config) {
  const { frontend, oidc, saml } = identity;
  const { jwt } = auth.backchannel;
  const askers = [
    ["idp", "used by the account page", frontend.enabled],
    ["oidc", "used by OpenID Connect sign-ins", frontend.enabled && oidc.enabled],
    ["saml", "used by SAML sign-ins", frontend.enabled && saml.enabled],
    ["jwt", "used by POST /api/v1/jwt/token", jwt.enabled && jwt.directory_roles.length > 0],
  ] as const;
  return askers.filter(([, , asks]) => asks);
}

/** Protocols that an entry of the order serves; undefined: all. */
function servedBy(auth: Config["auth"], entry: BackendEntry): ReadonlySet<string> | undefined {
  const isLua = entry.kind === "lua";
  const searches: readonly { readonly protocol: readonly string[] }[] = isLua
    ? auth.backends.lua.backend.search
    : searchesOf(auth, entry);
  if (isLua && searches.length === 0) return undefined;
  return new Set(searches.flatMap(({ protocol }) => protocol.map(normalisedProtocol)));
}

/** Warns about protocols that no search lists, which fail for all users, and that some backends do not list, which fail for their users. */
export function validateProtocolCoverage(config: Config, { warning }: Judgement): void {
  const { order } = config.auth.backends;
  const entries = order.flatMap((text, index) => {
    const parsed = parseBackendEntry(text);
    // Rules of their own say whom servers behind `http` serve.
    return parsed === undefined || parsed.kind === "http" ? [] : [{ index, served: servedBy(config.auth, parsed) }];
  });
  for (const [protocol, who] of askersOf(config)) {
    const lacking = entries.filter(({ served }) => served !== undefined && !served.has(protocol) && !served.has("*"));
    if (lacking.length === 0) continue;
    if (lacking.length === entries.length) warning("auth.backends.order", messages.pagesNotServed(protocol, who));
    else
      for (const { index } of lacking) {
        warning(`auth.backends.order[${index}]`, messages.pagesNotServedBy(protocol, who));
      }
  }
}
