import { messages } from "../messages.ts";
import type { Config, LdapPoolConfig } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

const root = "auth.backends.ldap";

export function validateLdap(config: Config, judgement: Judgement): void {
  const { search, pools, default: defaultPool } = config.auth.backends.ldap;
  search.forEach((entry, index) => {
    const path = `${root}.search[${index}]`;
    const isKnown = entry.pool_name === "default" || Object.hasOwn(pools, entry.pool_name);
    if (!isKnown) judgement.problem(`${path}.pool_name`, messages.unknownPool(entry.pool_name));
    const { strategy, base_dn, filter } = entry.groups;
    if (strategy === "search" || strategy === "hybrid") {
      const needed = messages.needsWhen(`${path}.groups.strategy is ${strategy}`);
      if (base_dn === "") judgement.problem(`${path}.groups.base_dn`, needed);
      if (filter === "") judgement.problem(`${path}.groups.filter`, needed);
    }
    if (entry.protocol.includes("*")) judgement.problem(`${path}.protocol`, messages.star);
  });
  const isDefaultUsed = search.some((entry) => entry.pool_name === "default");
  validatePool(defaultPool, `${root}.default`, { isUsed: isDefaultUsed, judgement });
  for (const [name, pool] of Object.entries(pools))
    validatePool(pool, `${root}.pools.${name}`, { isUsed: true, judgement });
}

function validatePool(
  pool: LdapPoolConfig,
  path: string,
  { isUsed, judgement }: { readonly isUsed: boolean; readonly judgement: Judgement },
): void {
  const { problem } = judgement;
  if (isUsed && pool.server_uri.length === 0) problem(`${path}.server_uri`, messages.required);
  if (pool.bind_pw !== "" && pool.bind_dn === "") {
    problem(`${path}.bind_dn`, messages.needsWhen(`${path}.bind_pw is set`));
  }
  if (pool.bind_dn !== "" && pool.bind_pw === "" && !pool.sasl_external) {
    problem(`${path}.bind_pw`, messages.needsWhen(`${path}.bind_dn is set`));
  }
  validateClientCertificate(pool, path, judgement);
}

function validateClientCertificate(pool: LdapPoolConfig, path: string, { problem }: Judgement): void {
  const { tls_client_cert: cert, tls_client_key: key } = pool;
  if (cert !== "" && key === "") problem(`${path}.tls_client_cert`, messages.pairOfFiles(`${path}.tls_client_key`));
  if (key !== "" && cert === "") problem(`${path}.tls_client_key`, messages.pairOfFiles(`${path}.tls_client_cert`));
}
