import { type Config, parseBackendEntry, poolsOf, type SqlPoolConfig } from "@postern/shared/platform/config";
import { AppError } from "@postern/shared/platform/errors";
import { type PreflightCheck, poolTlsCheck } from "@postern/shared/platform/preflight";
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
  return pool.tls ? poolTlsCheck(path, pool) : [];
}

/** Checks the queries of the databases in use, their seeds, and the files of their connections. */
export function sqlChecks({ auth }: Config): readonly PreflightCheck[] {
  const { search } = auth.backends.sql;
  const poolNames = [...auth.backends.order, ...auth.shadow.order].flatMap((entry) => {
    const parsed = parseBackendEntry(entry);
    return parsed?.kind === "sql" ? [parsed.pool ?? "default"] : [];
  });
  const pools = poolsOf("sql", auth.backends.sql);
  return [...new Set(poolNames)].flatMap((name) => {
    const { pool, path } = pools.find((one) => one.name === name) ?? {};
    if (pool === undefined || path === undefined) return [];
    const searches = search.flatMap((entry, index) =>
      entry.pool_name === name ? searchChecks(entry, index, pool) : [],
    );
    return searches.length > 0 || search.some(({ pool_name }) => pool_name === name)
      ? [...searches, ...poolChecks(path, pool)]
      : [];
  });
}
