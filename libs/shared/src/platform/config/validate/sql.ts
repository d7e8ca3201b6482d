import { messages } from "../messages.ts";
import type { Config, SqlPoolConfig } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

const root = "auth.backends.sql";

export function validateSql(config: Config, judgement: Judgement): void {
  const { search, pools, default: defaultPool } = config.auth.backends.sql;
  const { problem } = judgement;
  const served = new Set<string>();
  search.forEach((entry, index) => {
    const path = `${root}.search[${index}]`;
    const isKnown = entry.pool_name === "default" || Object.hasOwn(pools, entry.pool_name);
    if (!isKnown) problem(`${path}.pool_name`, messages.unknownPool(entry.pool_name));
    const twice = entry.protocol.find((protocol) => served.has(`${entry.pool_name} ${protocol}`));
    if (twice !== undefined) problem(`${path}.protocol`, messages.protocolTwice(twice));
    if (entry.attribute.includes(entry.mapping.password_column))
      problem(`${path}.attribute`, messages.passwordReleased);
    for (const protocol of entry.protocol) served.add(`${entry.pool_name} ${protocol}`);
  });
  const used = new Set(search.map(({ pool_name }) => pool_name));
  if (used.has("default")) validatePool(defaultPool, `${root}.default`, judgement);
  for (const [name, pool] of Object.entries(pools)) {
    if (used.has(name)) validatePool(pool, `${root}.pools.${name}`, judgement);
  }
}

function validatePool(pool: SqlPoolConfig, path: string, { problem }: Judgement): void {
  const when = messages.needsWhen(`${path}.driver is ${pool.driver} and a search uses it`);
  if (pool.driver === "sqlite") {
    if (pool.file === "") problem(`${path}.file`, when);
    return;
  }
  if (pool.server.length === 0) problem(`${path}.server`, when);
  if (pool.database === "") problem(`${path}.database`, when);
  if (pool.user === "") problem(`${path}.user`, when);
  const { tls_client_cert: cert, tls_client_key: key } = pool;
  if (cert !== "" && key === "") problem(`${path}.tls_client_cert`, messages.pairOfFiles(`${path}.tls_client_key`));
  if (key !== "" && cert === "") problem(`${path}.tls_client_key`, messages.pairOfFiles(`${path}.tls_client_cert`));
}
