import { type Config, parseBackendEntry, type SqlPoolConfig } from "@postern/shared/platform/config";
import { AppError } from "@postern/shared/platform/errors";
import { type PreflightCheck, tlsCheck } from "@postern/shared/platform/preflight";
import { searchProblems } from "./query-parameters.ts";
import { checkSeed } from "./seed.ts";
import { sqlSearchSettings } from "./sql-settings.ts";

const root = "auth.backends.sql";

type Search = Config["auth"]["backends"]["sql"]["search"][number];

function searchChecks(search: Search, index: number, pool: SqlPoolConfig): readonly PreflightCheck[] {
  return searchProblems(sqlSearchSettings(search), pool.driver).map(({ key, reason }) => ({
    path: `${root}.search[${index}].${key}`,
    run: () => {
      throw new AppError("CONFIG_INVALID", { detail: reason });
    },
  }));
}

function poolChecks(path: string, pool: SqlPoolConfig): readonly PreflightCheck[] {
  const { driver, file, seed_file: seedFile } = pool;
  if (driver === "sqlite") {
    return seedFile === "" ? [] : [{ path: `${path}.seed_file`, run: () => checkSeed({ file, seedFile }) }];
  }
  const files = { ca: pool.tls_ca_cert, cert: pool.tls_client_cert, key: pool.tls_client_key };
  return pool.tls ? tlsCheck(path, files, { ca: "tls_ca_cert", cert: "tls_client_cert" }) : [];
}

/** Checks the queries of the databases in use, their seeds, and the files of their connections. */
export function sqlChecks({ auth }: Config): readonly PreflightCheck[] {
  const { search, pools, default: first } = auth.backends.sql;
  const poolNames = [...auth.backends.order, ...auth.shadow.order].flatMap((entry) => {
    const parsed = parseBackendEntry(entry);
    return parsed?.kind === "sql" ? [parsed.pool ?? "default"] : [];
  });
  return [...new Set(poolNames)].flatMap((name) => {
    const pool = name === "default" ? first : pools[name];
    const path = name === "default" ? `${root}.default` : `${root}.pools.${name}`;
    if (pool === undefined) return [];
    const searches = search.flatMap((entry, index) =>
      entry.pool_name === name ? searchChecks(entry, index, pool) : [],
    );
    return searches.length > 0 || search.some(({ pool_name }) => pool_name === name)
      ? [...searches, ...poolChecks(path, pool)]
      : [];
  });
}
