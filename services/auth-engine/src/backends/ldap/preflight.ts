import { type Config, type LdapPoolConfig, parseBackendEntry, poolsOf } from "@postern/shared/platform/config";
import { type PreflightCheck, poolTlsCheck } from "@postern/shared/platform/preflight";
import { ldapSearchSettings } from "./ldap-settings.ts";
import { searchParts } from "./select-search.ts";
import { parseServerUri } from "./server-uri.ts";

const root = "auth.backends.ldap";

/** Pools that `auth.backends.order` or `auth.shadow.order` uses; an undefined entry means all. */
function referencedPoolNames({ auth }: Config): readonly (string | undefined)[] {
  return [...auth.backends.order, ...auth.shadow.order].flatMap((entry) => {
    const parsed = parseBackendEntry(entry);
    return parsed?.kind === "ldap" ? [parsed.pool] : [];
  });
}

function poolChecks(path: string, pool: LdapPoolConfig): readonly PreflightCheck[] {
  const uris = pool.server_uri.map((uri, index) => ({
    path: `${path}.server_uri[${index}]`,
    run: () => parseServerUri(uri),
  }));
  const isEncrypted = pool.starttls || pool.server_uri.some((uri) => uri.toLowerCase().startsWith("ldaps:"));
  return isEncrypted ? [...uris, ...poolTlsCheck(path, pool)] : uris;
}

/** Checks filters, bases and attributes of the searches in use, and the addresses and files of their pools. */
export function ldapChecks(config: Config): readonly PreflightCheck[] {
  const { search } = config.auth.backends.ldap;
  const poolNames = referencedPoolNames(config);
  const used = search.flatMap((entry, index) =>
    poolNames.some((pool) => pool === undefined || pool === entry.pool_name) ? [{ entry, index }] : [],
  );
  const usedPools = new Set(used.map(({ entry }) => entry.pool_name));
  const pools = poolsOf("ldap", config.auth.backends.ldap).filter(({ name }) => usedPools.has(name));
  return [
    ...used.flatMap(({ entry, index }) =>
      searchParts(ldapSearchSettings(entry)).map(({ key, compile }) => ({
        path: `${root}.search[${index}].${key}`,
        run: compile,
      })),
    ),
    ...pools.flatMap(({ path, pool }) => poolChecks(path, pool)),
  ];
}
