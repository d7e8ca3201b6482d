import { messages } from "../messages.ts";
import type { Config } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

const path = "auth.backends.order";

/** One entry of `auth.backends.order`. */
export interface BackendEntry {
  readonly kind: "sql" | "ldap" | "lua";
  readonly pool: string | undefined;
}

/** `sql`, `sql(pool)`, `ldap`, `ldap(pool)` or `lua`; undefined for anything else, `cache` too. */
export function parseBackendEntry(entry: string): BackendEntry | undefined {
  const match = /^(sql|ldap|lua)(?:\(([A-Za-z0-9][A-Za-z0-9_-]*)\))?$/.exec(entry.trim());
  if (match === null) return undefined;
  const kind = match[1] === "sql" || match[1] === "lua" ? match[1] : "ldap";
  return kind === "lua" && match[2] !== undefined ? undefined : { kind, pool: match[2] };
}

export function validateBackends(config: Config, judgement: Judgement): void {
  const { order, ldap, sql } = config.auth.backends;
  const isUntouched = order.join(" ") === "sql";
  if (isUntouched && ldap.search.length === 0 && sql.search.length === 0) {
    judgement.warning(path, messages.noBackend);
    return;
  }
  if (order.length === 0 && !config.runtime.servers.http.auth_policy_endpoint) {
    judgement.problem(path, messages.emptyOrder);
  }
  order.forEach((entry, index) => {
    if (order.indexOf(entry) < index) judgement.problem(`${path}[${index}]`, messages.backendTwice(entry));
    else validateEntry(config, judgement, { entry, index });
  });
}

function validateEntry(
  config: Config,
  { problem }: Judgement,
  { entry, index }: { entry: string; index: number },
): void {
  // `cache` selects the backends whose decisions are shared; validate/storage.ts checks its requirements.
  if (entry === "cache") return;
  const { ldap, sql } = config.auth.backends;
  const at = `${path}[${index}]`;
  const parsed = parseBackendEntry(entry);
  if (parsed === undefined) {
    problem(at, messages.backendUnknown(entry), messages.backendHint);
    return;
  }
  const { kind, pool } = parsed;
  if (pool !== undefined && pool !== "default" && !Object.hasOwn(kind === "sql" ? sql.pools : ldap.pools, pool)) {
    problem(at, messages.unknownPool(pool));
    return;
  }
  // The script decides which users it knows.
  if (kind === "lua") return;
  const searches = kind === "sql" ? sql.search : ldap.search;
  // An SQL backend is one database. An LDAP backend without a pool queries all pools.
  const served = kind === "sql" ? (pool ?? "default") : pool;
  const serving = searches.filter((search) => served === undefined || search.pool_name === served);
  if (serving.length === 0) problem(at, messages.backendWithoutSearch(entry));
}
